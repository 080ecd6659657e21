# -c, -V, -S: names and properties that zfs would refuse are refused in its words, before anything is touched.
t() { mkpool "$@" tank a.img; echo "$?"; }
t -c home
t -c tank
t -c tank/
t -c /tank
t -c tank//x
t -c tank/a@b
t -c 'tank/a*b'
t -c tank/..
t -c tank/./x
t -c tank/a/b
t -c tank/a -c tank/a
t -c tank/a=x
t -c tank/a,compression
t -c tank/a,compression=maybe
t -c tank/a,used=5
t -c tank/a,volsize=1M
t -c tank/a,,
t -c ''
t -c tank/"$(printf 'n%.0s' $(seq 255))"
t -c "tank$(printf '/d%.0s' $(seq 51))"
t -V tank/v
t -V tank/v,volsize=1M,mountpoint=/x
t -V tank/v=
t -V tank/v=nothing
t -V tank/v,volsize=1M -c tank/v/x
t -V tank/v,volsize=1M -d tank/v=x
: >empty && head -c 100000 /dev/zero >raw
t -V tank/v=empty
t -V tank/v=raw,volsize=64K
t -S tank
t -S tank@
t -S tank@a@b
t -S tank@a/b
t -S tank/x@a
t -S tank@a -S tank@a
t --split
t --layers
ls
