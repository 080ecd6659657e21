# -d mtree:FILE: what the list says, contents from beside it, never from elsewhere.
mkdir -p root/etc root/bin
echo hello >root/etc/motd && echo prog >root/bin/prog && echo other >root/other && ln -s /etc/passwd root/link && echo secret >secret
truncate -s 1M root/holes && echo end >>root/holes
find root -exec touch -h -d @1600000000 {} +
t() { printf "$1" >root/list; shift; mkpool -f "$@" -d mtree:root/list tank a.img; echo $?; }
printf '%s\n' '#mtree' '/set type=file uid=0 gid=0 mode=0640' '. type=dir mode=0750 time=5.0' \
	'    etc type=dir mode=0711' '        motd' '        two\040words contents=other size=6 time=-7.5' \
	'        link type=link link=a\040b mode=0777' '    ..' '..' '' '# full paths' \
	'./bin/prog uname=root gname=wheel mode=04755 sha256digest=abc tags=x' \
	'./usr/share type=dir uid=7 \' '  gid=8' 'holes' './gone optional' >root/METALOG
sed -i 's/^\.\.$//' root/METALOG
mkpool -d mtree:root/METALOG tank a.img; echo $?
pooldump ls -p a.img:tank
for d in etc bin usr; do pooldump ls -p a.img:tank@/$d; done
poolcp a.img:tank@/etc/two\ words -
poolcp a.img:tank@/holes - | cmp - root/holes
(cd root && mkpool -f --exclude etc -d mtree:METALOG tank ../a.img && poolcp -q --list ../a.img:tank)
t './x type=file contents=../secret\n'
t './x type=file contents=/etc/passwd\n'
t './../x type=file\n'
t './x type=file contents=link\n'
t './link type=file\n'
t './l/x type=file contents=link/x\n'
t './x type=file contents=etc\n'
t './x type=file\n'
t './other type=file size=7\n'
t './other\n'
t './x type=link\n'
t './x type=char\n'
t './x type=tape\n'
t './x type=dir mode=9\n'
t './x type=dir uid=-1\n'
t './x type=dir uname=www\n'
t './x type=dir uname=www\n' --all-root
t './x type=dir time=now\n'
t './x type=dir\n..\n..\n'
t './a\\q type=dir\n'
t './a\\000b type=dir\n'
t '/bin type=dir\n'
t '\\0\n'
t './x type=link link=a\\000b\n'
printf './x\0 type=dir\n' >root/list; mkpool -f -d mtree:root/list tank a.img; echo $?
{ printf './x type=dir '; head -c 70000 /dev/zero | tr '\0' x; } >root/list; mkpool -f -d mtree:root/list tank a.img; echo $?
mkpool -f -d mtree:root tank a.img; echo $?
