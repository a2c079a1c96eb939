"""Messages that only tf.contrib had: their files, as TensorFlow 1.15 has them, for protobuf."""

from __future__ import annotations

import base64
import zlib
from typing import Final

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, wrappers_pb2

_TREES: Final = (
    "c-p;N&2t;al{Wx_9}oNhholHmDt(M(ThS_@EGx1kJGMb`NWuaE8i4HBNmXYE48U0dGw{rS678zJZ|!cym!xWIH&uJty{"
    "9Twx#gU5j;T}*$z}flA2z4#d)+;Q84zEjUAd^h?tZ`5{rY|P2)@1oA9{x6+D@Zozuc_Zmgks9n{}gRx~6S0&oK;lv*Xy"
    "Fz1cJ@!!c`ojJ55$(aQ1(<#G=p8>QU1+_ddx%Mb`h-NvSFoeHXrYyDF%9lg^r99PV%{~Lqk0dY}2goOxfCUzrsC-vaX>"
    "`=bh9r<S!|Jr{|c?V{3snI@a8JRdIzBPhalS`5C9?aLeu4lK!finqCyqXnz&-#1M=B!g({e4){>vhvZD80q%x~FHRZX|"
    "{gY|TKDqpH75K$;&lXVrHN-RnArt2~3*hWw2OCX^>5_S{dN^?zu1qo>NIWF=33V;s_;qa=nOW#a^9Btzvr0J(2w*5y^*"
    "9>Gu2<?CDVOl%O}_z1prSco1p1&J5NDQ7#UY(erwZ*~1UfBORRdm4WnQ-3xEv%XR&@4`$Qf1#pg>U?K+Cs3vA0Vh#PaN"
    "X^;+d7?()$I0>X^G#SQ9HKGFS^DA607(KsB#FXpBRqbG_B?k!1!3eoR5Hj@4;26@q^L6OAFZeWeldJWFEk*+dUFW8k<l"
    "_??cL`Azc#(y>f<A-tyjl@ChlxIn{b=9o7a)L468y!7U5|jSUAS+CbpvrTqft!>$dbmbCErzK0m))o6VY*PheF)NkT28"
    "_?c^8RFNo?2*#G3(30C@s20CnYUmb?~=zB*Zk7gvymk4L5i-%Ic2mbR5YS^eS`?M_-Z-`s_G_8wG6$HNpiC5BghK43<>"
    "T-T3QAdfp^+5GSla^hM5uCmV&teS^ZlaptoPV=!KTi@L28GY}F?e|J$(Wn9bu5(FFJK5iHk@hTd&?tZq6+jW*9OWAVY}"
    "M54{^_+;puHcZR-qN}$|@05l1?-{Nq@9TRbK=T1{6$wzFkKmHLf_|{%sEbf<z+7)vvoKZAcB|>vlsQP2^LzW%bZl!Gmi"
    "i#oU&mm+($O8)_yj3!M=7F;^1qpgD#GR-kMh(Za{mt^<*{m`3hDl_aQsS8)DFk5Q4Wzq@L=@>rsaMEa<S2|<aFXGQg+m"
    "w=@X72)$HadQoax`2h%iPJc2epHcbo5XRy7D^3K!3g4H_A1xbW*2jYQsTs=cp!SvQ@4vht){NU%XR61&r_YYFEM`u#Bi"
    "4q-U31(gzWSK7K7+3!khsCI}D^D+)Mxh*k2s5_Wsx-1uDN5g=cnUDZom-q+eRg64%~p{Lb!W~yMxbN6RhM3TyyhLk6en"
    "JWg@RV8uu_?6A3x6(&`1|xjt^D$bH#K_S%vgoS<6+ma&J*wNyEH9%GV{f<^kl9Fi@-ifyIQl^)*Q0Hgqqr;n<xxp7|2Y"
    "*X=H5YOH5*F&xL`COJnrOy@}k!;c=yVUltpQZ9(`kzR@Nf4*!h@qe+{(KMfZ8~&1jXBRKYnDL5;aiKfDI{Vh8pZawSlm"
    "p#EuPLp{<;wf`qRJa~c@z08vL(~PbjlT%GfP*!w2jC2%7%+k>|5^V2`usbu!ilhdSDil>}&;66i1lD_aSx{-0~j)o(_<"
    "{7$Rm!DTUuK9M43>bUoekFLgb{T>j)F-@%oB1oOLsV}%%^BbpakiOt-W?G18t;T>dsVqB|Ufw?`?G6m2gOuOhU93jED`"
    "g^RZDB94hq5ue&$gn=*vWhD|hQ(S-cU`k#)_A5ZZ!R~Kw-1*kuK9MS>!54ej$rV;ps7{>9HWU;BpG?9KO7H?KU}ZEkKv"
    "XBdI`GmhZtNR!x}YezD~^utgpJ3=UyzrO4@Tr*!wVrWrr#KvO4s<!L4o0!n9zv@$(p58F74!hN-rpTg>iyovt_Wxs>-|"
    "B}B)Bj`(LAPfuwxr2*VN)IY}{71BWE2LQpOE2H7fvDb`6KGbxpZemst#P&Cbl2tkw0=ND3$_KF8vC;5Rh8_!XpPrQaQm"
    "@LQ2$IAYC=00>`cwT~3>N!%K7^!8BU0>>RY5{JnDw4hI(XBfun=^~N$HkhuFLCZIvGi0PTdv7<)Q8!qo-Nm#Vk9)?RrN"
    "297Sz3g#Ky`auYh&$QVOo(c6CqANyYzHu(h}Iw%mUiSepoHkCZAba2361_rcK=IZTE%kVwKy`l2mA=SWt3=18LcSvVI9"
    "SrAiZ;e)6xeH8=QI(pfl!>YT8G~g$xr=J-9?Ko>!E)``sJ-xa=oy`h?eG1_{_c<7pV&fVdlg6(u(s440fz>H!KowjISR"
    "d}XnvmI)R4D`H)K_9)1u5w#upmUU-5w{9+7?mY3)_Vws4oG-V(_3Fm+_=t^}sPbXP_&3R-Op?I!Nga3p93(%e*8Xhxv#"
    "!(!D>j0JWYW^F5+h?0fajYcR3<wMbYI<9^bgOx!-&0xT!%tyES)7wWd-QwaJ)D4UpYfq{?;-rk8L}b|b-caIx>G5JBwE"
    "d~G@hU<el@F%K=-c^Ee&@fL1*OWD@ABn*h61Ya|6HG9T%X<;>5F*tke3_i=D7=FAzd8d=4ok<Sc9dS-D-)hf<O>`l6zw"
    "UML@)1axmW!_9rlejQ(LFi<MUS0oF9!L<B<eY|S^!rX&FBnAL3y-^Cqsl7`4QM0b&g9W1@(X;o12uJO?VtcIFAJmclNS"
    "h-O3xCRTR%R-siETzrdsvNt+@R(Su^Q<s4=g-hBpl86+M><RhX2@4{Z1e;&RHgXL4ajsci9#82u?rPw8{V;9&#dwlH{m"
    "ixZ`5P+OM{6HJ7(Y{I5%^NFS$zR#@yVnYKHLe9SmY_W}VNX2O?RCoW{+}OHo~-K><SvHCd}!M-Q=Z0T+tVf+I1#fsQVS"
    "7K;~vLbqPG+tlX9LdVfX({JfwK;&b^zWg027XU)_YdU)8n3|B8G=I&x0xMj423b!}3zxZQ@iu6ZYlgvPi_xO?B9o!nyI"
    "7_!L@oasY#fw!v;y1FiWQA*7jl(KemB3JtL96^^lQp>xFY5&hq?0E1-uU-7L>KUvW9aw8dvVX?Fd<^JeWb^?tfDb7j-B"
    "IS*hl#6-ly}FXq$KYFHMd5|R(c6cw(C;ewW{R9WTY=Q-R)bT>EPYJ{}9uNA}KiQbCc{ExI9R>^;^MfgnJ-G`MyUJLiST"
    "`Cl`Z8{Fy%2o2)xYsMNzE{p2?z8gqVo@uz-ja0e?k{4H8J2GFvmX}nRd$G^8Y`BH8shbh?&k`-c=UDLQfQP;Ue(HY-VL"
    "}Eo_Om%JJibCTCs{Jy$ov+sFJq3yOS^O;Ss-r^&x47atZS^PPL2DsO$#^y#?1J<2$8;d@)xI<Hm<C+A5W*l`0A<od|N)"
    "e_4aa1M<ov8!HK;9!V>?v#D{<EmPHNA=8RbWck19zt4o;a30Esj{$9v0kr<>$7hfcWvl3($%hwFbBLVc2jh@-h<=yIMG"
    "3-%j?gZ=A<Npc*vx;7pgKk7AGvXiMA6&NX-6Ox5D1xe;mz?(d6gq0^47QFS|%i9%iv0l)XT=YK&MyBs3b+`emsuVb`K("
    "7j|%fExZB6TH9RI?tdGr3l%FU`wR7>S7~Vku7iHc8l^V|{rrmYfP<5H%Oy3{JwB#cV(;Ej~?{OO?)!E6^CSW*1y!)a?r"
    "EEdxPX_-iM0kH3xNm+3l8|062ub~)7^M3rsm^HXrX{O_cVPi{)8x4iH{JN;ri&r@azNY@7s8xi@JyU-<_!Z<f9AgqJ??"
    "uQdSe`U(0<YeKM~!V%(Q%%;NfRIc<NdRKXt{`dwnl=IBjBb@rq9;d#lCk%U7^AP{q*uFZyj`%rU!daUVPpuA6PqX74p="
    "B86H|a`OI)DJr)lReYjzVv1rYshV(eth-WnqTQW~d0O=!K^^a-z9U{HWQJMMP_ZhJE`6LofleU7m+<;T{%I&*%+-5*#g"
    "p7bjGw`^(LQP@$Fr)Umf+@C|8pM6sRy8hKNXRc-aF9`M(#}Nw$vu9hT#HFbsg6I(visyez)VdO=)jfhS7qSeu_83nvVT"
    "awA;BEVXenYI;^tl^8Ka(OMAEo6U2ar%>4O|nC^K-yCd3zq#-i%m-xL|p+CqSOT9Wf)~$LAt0cN$a(W5%-{P<lK9T>am"
    "K0PDlA;_If_gCC49>_J&leJleCt)7!Gh=q`VmC<;D_g75J)Bu>821?4^N~ko8$2MgdFXl{&5)|PMD3NCw45uk(ua?p<L"
    "y<jSFYFXm1%heA#GrTe@R@$sbjutO4S!w`91a-w&h*UWX+KM78KE(>s+tv=dm9SLI^DZ(5!!k<iAd@xiG?)16Qk2#HEt"
    "9{t6QN*4FvHt&>l$>%V;!DNp+YN;;gn^1od2c<xwK-rhkOeEKjAlWcq8UEwslk7M-X2T%6L@JOl%2r{9nk9DE&&+e@L)"
    "#I=JC1o`SOMyDNKp$B(@EW_9m`bw{qrGHbFsqdeOP(~_qw=Fy$|a{jzmqNmYiZ#oQZo@3vhK5IF@|NbTI=+{f3w5UvqD"
    "y>aY}imL~zO!K&Z-Y3Z)VWaBF6s@{f;$b5(T&6X!u#l<S|f<}1iKf(1eawb<N?~b9;AL&OX^~dC{--PR-K~gpMh1u!Q*"
    "}@kdKPxby^M9S=Z4kN^$xgPZWZOh)`YpKZ>#pAnqN9m#uj9S54_wqTPULsew5kk?PQ+ZLcX~QrZ-$zB0aCS|)yk6Toyh"
    ">tn)}DS_A9;6@LFN<!MhXcwJ*r5>}gOlhadx|OptRIgY+G=fLw`ODC0IG%eRN;GeUXrpTa7Cq7awQT-o;E&C|tE)$ZWk"
    "9uO9P@Aexg80pgCZ<A>mZ@{La?@@!%`)%=aSbk~fFPNMcJ?447*ALFS*G~~hj_@weGgvb8+OhEYuBSVmY{*_D>Z`EP2g"
    "Z8&3GdD()sG+*R+y`hp{`WExW}k_$etG~huU_2H?Qr851<aqn&?}lW6C1HVW}efSZPWeQ(;X(ti5vS(;-+${ONwFps{L"
    "MBQOOP3%Sp<GTZu$@gHf5jLLw^ybU)Fo)@Zl(aB`gzN%__pY`D*9wAfTO)NwnX_()AUMR4A>PzORFS!cooqTSuRLu286"
    "Y4%J^<PW|R*R+bL5|wA+j;70ijDJ5V`;09|0G{}Ug?{RZ7GoM_f66C=3l4aoe9$r(GW7NhW&TQaDE$uIiBg~kstj}3c;"
    "O!-YgP>i4%7E=Bf8Z>$y4xPyFY7L7JGHl$sezP{w>$CwT<3d?$`!$<M+jJI4knJ{`U6Q)K4VT;fhLst(`8;n9S5_C;5>"
    "=;IRqBY}m;BK09Gek@l=caVaF|3)68xJ<qv0Fk9y85Vph@fC2Wok8Jz5vC&<Czhg=iaNUWLcTiF2&OuGM7%a@u<B#-|E"
    "Yi_q(>i$d>>{EI$luOT<sHJWG7fft^_bRueSxtBbej=k0pe2YY0x5dqnL254ecXd;"
)
"""A FileDescriptorSet of the trees of tf.contrib: decision_trees, tensor_forest and boosted_trees,
compressed."""


_NEEDED: Final = (any_pb2, wrappers_pb2)
"""Importing them registers what the files depend on."""


def register() -> None:
    """Adds the files to protobuf's pool, where those of TensorFlow 2 are."""
    files = descriptor_pb2.FileDescriptorSet.FromString(zlib.decompress(base64.b85decode(_TREES)))
    for file in files.file:
        descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
