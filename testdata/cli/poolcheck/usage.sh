poolcheck
echo "exit status $?"
poolcheck --repair disk.img
echo "exit status $?"
poolcheck --explain space-leak disk.img
echo "exit status $?"
poolcheck no-such.img
echo "exit status $?"
