# Properties and features: what cannot be is refused by name.
t() { mkpool "$@" tank a.img; echo "$?"; }
t -o ashift=8
t -o ashift=17
t -o ashift
t -o version=27
t -o compatibility=windows
t -o compatibility=off,windows
t -o comment=123456789012345678901234567890123
t -o feature@nonsense=enabled
t -o feature@lz4_compress=active
t -o feature@blake3=enabled
t -o compatibility=off -o feature@head_errlog=enabled
t -o feature@enabled_txg=disabled -o feature@hole_birth=enabled -o feature@enabled_txg=disabled
t -o compatibility=grub2-2.06 -O compression=zstd
t -o feature@lz4_compress=disabled -O compression=lz4
t -O compression=brotli
t -O compression=zstd-20
t -O recordsize=1000
t -O recordsize=1M -o compatibility=zol-0.6.4
t -O volsize=1M
t -O used=1M
t -O nosuch=1
t -O quota=0
t -O mountpoint=here
t -O encryption=on
t -O compression=lz4 -O compression=lz4
t -O normalization=formD -O utf8only=off
t -o altroot=/x
t -o cachefile=none
t -o readonly=on
t -o size=1G
t -o nosuch=1
t -o a:b=c
t -o failmode=never
t -o autotrim=on -o autotrim=on
t -o bootfs=other/x
t -o bootfs=tank/x
t -o version=29
t -O compression
t -o bootfs=tank/x
t --vdev-type tape
t --time yesterday
t --owner bin
t --root-owner 1
t --root-mode 99
t --mode 99
t --mode u+q
t --mtime yesterday
t --strip-components x
SOURCE_DATE_EPOCH=now t
ls
