# What the pool has enabled and uses, and the compatibility sets it meets.
mkpool --time 1700000000 -o compatibility=zol-0.7 tank a.img
pooldump features a.img
pooldump features -H a.img | grep -e meets -e large_blocks -e lz4
mkpool -f --time 1700000000 -o compatibility=legacy tank a.img
pooldump features a.img | tail -n 12
