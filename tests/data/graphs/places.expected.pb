
6
yConst*
dtype0*
valueB"ö‡@¾Å?