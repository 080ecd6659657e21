pooldump labels -r disk.img
