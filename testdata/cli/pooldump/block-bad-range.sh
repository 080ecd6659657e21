pooldump block x.img: 0:zz:200
