pooldump labels --json disk.img
