pooldump datasets -o name,nonsense x.img
