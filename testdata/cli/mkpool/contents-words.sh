# -d [DATASET=]SOURCE
mkdir tree tank=x
echo hello >tree/file
echo other >tank=x/file
find tree tank=x -exec touch -h -d @1600000000 {} +
t() { mkpool "$@" tank a.img; echo "$?"; }
t -d tank/home=tree
t -d tank@/dir=tree
t -d mtree:list
t -d tank=
t -d - -d -
t -d nothing
ls
t -d tank=tree
pooldump ls a.img:tank
t -f -d ./tank=x
pooldump ls a.img:tank
t -f -d home=x
