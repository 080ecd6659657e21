# --verify reads what was built again, also when nothing is kept.
mkdir tree && seq 1 100000 >tree/a && ln -s a tree/l
mkpool --verify -d tree tank a.img; echo $?
mkpool --verify -n -d tree tank b.img | grep -c USED; ls
mkpool -f --verify -d tree other a.img; echo $?
pooldump pools a.img | grep -c other
