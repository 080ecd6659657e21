# Words that make no sense are refused with status 2, what is not built yet with 1.
try() {
	poolcp "$@"
	echo "$* => $?" >&2
}
try
try --bogus a:b c
try --create a:b
try a b
try --list
try --list ./a:b
try a: b
try a:b@x/y ""
try --format foo a:b c
try --list --format tar a:b
try -H a:b c
try --txg x a:b c
try in.tar a:b
try a:b c:d
try nosuch.img:tank out
try :tank out
