# -F: options from a file, one a line, where the option stands.
mkdir tree && echo x >tree/a.o && echo y >tree/b && echo z >'tree/two words'
find tree -exec touch -h -d @1600000000 {} +
cat >options <<'O'
# how we build
-O compression=zstd

   --exclude *.o   
	--exclude=two words
-d tree
-ocomment=a comment
-v
O
mkpool -F options tank a.img | grep -E 'property|files'
pooldump ls a.img:tank
t() { printf -- "$1" >bad; mkpool -F bad tank b.img; echo $?; }
t '-O compression=lz4\n-O nonsense\n-O x=y\n'
t '\n\n--nonsense 1\n'
t '-F options\n'
t 'tank b.img\n'
t '-- tank\n'
t '-s\n'
t '--split yes\n'
t '-nf\n'
t '-v 3\n'
t '-O compression=on\n-O comp\0ression=lz4\n'
t '-d tree\n-d nothing\n'
t '--exclude=*.o b\n-f\n-d tree\n'
mkpool -F nothing tank b.img; echo $?
mkpool -F . tank b.img; echo $?
head -c 2000000 /dev/zero | tr '\0' '#' >bad; mkpool -F bad tank b.img; echo $?
ls
