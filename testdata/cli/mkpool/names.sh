# Names by the file system's rules, and quotas, are in the master node and say no by name.
mkdir s u; echo a > s/Read; printf 'b\n' > "u/$(printf 'caf\303\251')"
mkpool -O casesensitivity=insensitive -O userquota@1000=1M -d s tank a.img &&
	pooldump object a.img:tank 1 | grep -E 'case|quota|utf8'
mkpool -O casesensitivity=mixed -d u tank b.img; echo $?
mkpool -O normalization=formC -d u tank b.img; echo $?
mkpool -d tank=s -d u tank b.img; echo $?
mv u/* "u/$(printf 'caf\351')"
mkpool -O utf8only=on -d u tank c.img; echo $?
mv u/* "u/$(printf '%0255d' 0)"; mkpool -d u tank c.img; echo $?
poolcp --list c.img:tank@ | cut -c1-40 | tail -1 | wc -c
