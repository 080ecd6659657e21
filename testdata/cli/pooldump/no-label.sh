truncate -s 64M zeros.img
pooldump labels zeros.img
