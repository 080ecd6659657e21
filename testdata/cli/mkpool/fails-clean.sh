# A run that fails leaves no file that it made, and nothing in one that was there looks like a pool.
mkdir tree
head -c 3000000 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null >tree/big
echo small >tree/a
tar -C tree -cf whole.tar a big
head -c 1000000 whole.tar >cut.tar
t() { mkpool "$@"; echo "$?"; ls *.img 2>/dev/null; }
t -d cut.tar tank new.img
t -d - tank new.img <cut.tar
head -c 5000 whole.tar | t -d - tank new.img
echo nonsense >text
t -d text tank new.img
: >none
t -d none tank new.img
(ulimit -f 1000; t -d whole.tar tank new.img) 2>&1 | sed 's/0x[0-9a-f]*/OFFSET/'
t -s 64M -d missing tank nowhere/new.img
t -s 64M -V tank/v,volsize=1T tank new.img
mkpool tank old.img
t -f -d cut.tar tank old.img
pooldump pools old.img; echo $?
