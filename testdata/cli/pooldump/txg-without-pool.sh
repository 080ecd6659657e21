pooldump pools --txg 4 disk.img
