pooldump ls disk.img
