
Z
yConst*
dtype0*A
value8B6"(†!>Oœ:Œ(W?"·:é<v7Ìì-?u€»=±h>Cé:¸¾8
9
lossConst*
dtype0*
valueB"@·í@OêÅ>