# Later contents go on top of earlier ones.
mkdir base top
echo old >base/a; echo kept >base/b; mkdir base/d; echo deep >base/d/x
echo newer >top/a; mkdir top/d; echo more >top/d/y
find base top -exec touch -h -d @1600000000 {} +
tar -C base --owner 1 --group 1 -cf base.tar .
tar -C top --owner 2 --group 2 -czf - . | mkpool -d base.tar -d - tank a.img
pooldump ls a.img:tank
pooldump ls a.img:tank@/d
