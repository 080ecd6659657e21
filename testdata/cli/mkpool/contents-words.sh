# -d [DATASET[@/DIR]=]SOURCE
mkdir tree tank=x
echo hello >tree/file
echo other >tank=x/file
find tree tank=x -exec touch -h -d @1600000000 {} +
t() { mkpool "$@" tank a.img; echo "$?"; }
t -d tank/home=tree
t -d tank@snap=tree
t -d tank@/../x=tree
t -d tank=
t -d mtree:
t -d oci:image
t -d - -d -
t -d nothing
t -d mtree:nothing
ls
t -d tank=tree
pooldump ls a.img:tank
t -f -d ./tank=x
pooldump ls a.img:tank
t -f -d home=x
# Below a directory: links stay within it.
ln tree/file tree/hard
t -f -d tank@/=tree -d tank@/a//b/=tree
pooldump find a.img:tank 2>/dev/null || poolcp -q --list a.img:tank
poolcp a.img:tank@/a/b/hard -
