
b
yConst*
dtype0*I
value@B>"0–„>>ô;Á|ú­ÁÝ®Áf7QBµÉÇB€<@uƒ©?ÐÐ¿HØB™IUBÅ"®Á