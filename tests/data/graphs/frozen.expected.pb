
V
probabilitiesConst*
dtype0*1
value(B&"Øû?RÒ>ÇQ?q\å>Õ8á>–c?
E
labelConst*
dtype0*(
valueBBbottomBbottomBtop