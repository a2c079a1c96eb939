"""tf.contrib.distributions.bijectors: functions with inverses, for TransformedDistribution."""

from dataflow.contrib.distributions.bijectors.affine import Affine as Affine
from dataflow.contrib.distributions.bijectors.base import Bijector as Bijector
from dataflow.contrib.distributions.bijectors.base import Identity as Identity
from dataflow.contrib.distributions.bijectors.composed import Chain as Chain
from dataflow.contrib.distributions.bijectors.composed import Inline as Inline
from dataflow.contrib.distributions.bijectors.composed import Invert as Invert
from dataflow.contrib.distributions.bijectors.elementwise import AbsoluteValue as AbsoluteValue
from dataflow.contrib.distributions.bijectors.elementwise import AffineScalar as AffineScalar
from dataflow.contrib.distributions.bijectors.elementwise import Exp as Exp
from dataflow.contrib.distributions.bijectors.elementwise import PowerTransform as PowerTransform
from dataflow.contrib.distributions.bijectors.elementwise import Sigmoid as Sigmoid
from dataflow.contrib.distributions.bijectors.elementwise import Softplus as Softplus
from dataflow.contrib.distributions.bijectors.elementwise import Softsign as Softsign
from dataflow.contrib.distributions.bijectors.elementwise import Square as Square
from dataflow.contrib.distributions.bijectors.vectors import (
    CholeskyOuterProduct as CholeskyOuterProduct,
)
from dataflow.contrib.distributions.bijectors.vectors import FillTriangular as FillTriangular
from dataflow.contrib.distributions.bijectors.vectors import Permute as Permute
from dataflow.contrib.distributions.bijectors.vectors import Reshape as Reshape
from dataflow.contrib.distributions.bijectors.vectors import SoftmaxCentered as SoftmaxCentered
