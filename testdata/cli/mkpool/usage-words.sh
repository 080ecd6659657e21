# What is no use is refused before anything is touched: exit 2.
t() { mkpool "$@"; echo "$?"; }
t
t tank
t 9lives a.img
t 'a@b' a.img
t mirror a.img
t spare1 a.img
t log a.img
t c0t0 a.img
t "$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 | sed 's/.*/&&&&&&&&&&&&&&&&&&&&&&&&/')" a.img
t tank mirror a.img b.img
t tank raidz2 a b c d
t tank a.img b.img
t tank a.img,size=63M
t tank a.img,colour=red
t tank .
t -s 10 tank a.img
t -s +x% tank a.img
t -s +-1 tank a.img
t -x tank a.img
t --json tank a.img
ls
