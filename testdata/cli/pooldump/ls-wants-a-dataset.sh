pooldump ls disk.img:
