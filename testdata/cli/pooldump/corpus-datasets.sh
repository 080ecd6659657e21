. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/snapshots
pooldump datasets -t all disk.img
pooldump datasets -Hp -r -o name,used,refer,unique,usedds,refratio,origin,type,createtxg,guid,objsetid,creation -t all disk.img
