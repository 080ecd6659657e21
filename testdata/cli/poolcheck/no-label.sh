truncate -s 64M blank.img
poolcheck blank.img
