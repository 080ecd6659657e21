# --include, --exclude, --strip-components: as tar has them, for archives, directories and lists.
mkdir -p tree/top/keep tree/top/cache/deep tree/other
echo c >tree/top/keep/a.c && echo o >tree/top/keep/a.o && echo x >tree/top/cache/deep/x && echo y >tree/other/y
ln tree/top/cache/deep/x tree/top/keep/link
chmod 700 tree/top
find tree -exec touch -h -d @1600000000 {} +
mkpool --all-root -d tree tank a.img
l() { echo "== $*"; poolcp -q --list "$@" a.img:tank; echo $?; }
l --exclude '*.o'
l --exclude cache --exclude /other
l --exclude keep/a.c --exclude ./top/cache/deep/x
l --include top/keep
l --include './top/*/x' --include /other/
l --include keep
l --include top --exclude '*.c'
l --include 'none*' --include other
l --strip-components 2
l --strip-components 9
l --include . --strip-components 1
# A link whose first name is left out is the file itself.
poolcp --exclude cache a.img:tank - | tar -tvf - | cut -c1-30
poolcp --include top/keep --strip-components 2 a.img:tank out && find out -type f -printf '%P %m %n\n' | sort && cat out/link
poolcp --exclude '*.o' a.img:tank@/top/keep a.img:tank@/other o.tar && tar -tf o.tar
poolcp --exclude '*.o' a.img:tank@/top/keep/a.o a.img:tank@/other/y two/ && ls two
t() { poolcp "$@" a.img:tank@/other/y x; echo $?; }
t --include y
t --strip-components 1
t --strip-components x
t --include ''
t --exclude ''
ls
