# Names that lead out are refused by name; absolute ones lose their slash, as with tar.
mkdir tree && echo x >tree/f
tar -C tree -P --transform 's,^f,../f,' -cf up.tar f
tar -C tree -P --transform 's,^f,a/../../f,' -cf inside.tar f
tar -C tree -P --transform 's,^f,/abs/f,' -cf abs.tar f
long=$(printf 'd%.0s' 1 2 3 4 5 6 7 8 9 10 | sed 's/.*/&&&&&&&&&&/')
path=$long/$long/$long/$long/$long/$long/$long/$long/$long/$long
path=$path/$path/$path/$path/$path
tar -C tree --transform "s,^f,$path," -cf long.tar f
tar -C tree --transform "s,^f,$long$long$long," -cf part.tar f
t() { mkpool "$@"; echo "$?"; ls *.img 2>/dev/null; }
t -d up.tar tank a.img
t -d inside.tar tank a.img
t -d long.tar tank a.img 2>&1 | cut -c1-80
t -d part.tar tank a.img 2>&1 | cut -c1-80
t -d abs.tar tank a.img
pooldump ls a.img:tank@/abs
