"""tf.math.special: Bessel functions and integrals without a closed form."""

from dataflow.ops.math.bessel import bessel_i0 as bessel_i0
from dataflow.ops.math.bessel import bessel_i0e as bessel_i0e
from dataflow.ops.math.bessel import bessel_i1 as bessel_i1
from dataflow.ops.math.bessel import bessel_i1e as bessel_i1e
from dataflow.ops.math.bessel import bessel_j0 as bessel_j0
from dataflow.ops.math.bessel import bessel_j1 as bessel_j1
from dataflow.ops.math.bessel import bessel_k0 as bessel_k0
from dataflow.ops.math.bessel import bessel_k0e as bessel_k0e
from dataflow.ops.math.bessel import bessel_k1 as bessel_k1
from dataflow.ops.math.bessel import bessel_k1e as bessel_k1e
from dataflow.ops.math.bessel import bessel_y0 as bessel_y0
from dataflow.ops.math.bessel import bessel_y1 as bessel_y1
from dataflow.ops.math.bessel import dawsn as dawsn
from dataflow.ops.math.bessel import expint as expint
from dataflow.ops.math.bessel import fresnel_cos as fresnel_cos
from dataflow.ops.math.bessel import fresnel_sin as fresnel_sin
from dataflow.ops.math.bessel import spence as spence
