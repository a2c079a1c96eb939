
:
yConst*
dtype0*!
valueB"Xoó>÷%¿ÈGo¿
:
gConst*
dtype0*!
valueB"·:”?•«C?†^?