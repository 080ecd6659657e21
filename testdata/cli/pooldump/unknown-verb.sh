pooldump dance disk.img
