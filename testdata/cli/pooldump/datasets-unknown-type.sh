pooldump datasets -t nonsense x.img
