# --layers: whiteouts remove what is below, wherever they stand in their own layer.
mkdir -p one/d/sub one/e one/gone two/d two/e two/new three
for f in one/a one/b one/d/x one/d/sub/y one/e/1 one/e/2 one/gone/z two/d/fresh two/e/3 two/new/n; do echo $f >$f; done
ln one/a one/a2 && ln -s d one/link
echo 'file now' >three/d
touch two/.wh.b two/.wh.gone two/e/.wh..wh..opq two/d/.wh.x two/.wh.nothing two/new/.wh.n two/.wh..wh.aufs two/.wh.a
mkdir two/.wh..wh.plnk && touch two/.wh..wh.plnk/9
find one two three -exec touch -h -d @1600000000 {} +
mkpool --layers -d one -d two tank a.img; echo $?
poolcp -q --list a.img:tank && poolcp a.img:tank@/a2 -
poolcheck a.img >/dev/null; echo $?
# In any order: the layer's own files stay.
touch two/.wh.d && (cd two && tar -cf ../late.tar e/3 d/fresh new/n e/.wh..wh..opq d/.wh.x new/.wh.n .wh.d .wh.gone .wh.a .wh.b)
mkpool -f --layers -d one -d late.tar tank a.img; echo $?
poolcp -q --list a.img:tank
# A file in place of a whole directory; a root that is opaque.
mkpool -f --layers -d one -d three tank a.img && poolcp -q --list a.img:tank && poolcp a.img:tank@/d -
mkdir four && touch four/.wh..wh..opq four/only
mkpool -f --layers -d one -d four tank a.img && poolcp -q --list a.img:tank
# Without --layers these are names like others.
mkpool -f -d two tank a.img && poolcp -q --list a.img:tank | grep -c wh
t() { mkdir bad; mkdir -p "bad/$(dirname "$1")" && touch "bad/$1"; mkpool -f --layers -d one -d bad tank a.img; echo $?; rm -r bad; }
t .wh.
t .wh...
t .wh..
t d/.wh...
t .wh.x/f
t .wh..wh..opq/f
# Through a link: nothing behind it is touched.
mkdir bad && ln -s /etc bad/link
tar -cf through.tar --transform 's,^two/.wh.a$,link/.wh.x,' two/.wh.a
mkpool -f --layers -d one -d through.tar tank a.img; echo $?
tar -cf through.tar --transform 's,^two/.wh.a$,link/.wh..wh..opq,' two/.wh.a
mkpool -f --layers -d one -d through.tar tank a.img; echo $?
