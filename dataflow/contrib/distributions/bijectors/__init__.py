"""tf.contrib.distributions.bijectors: functions with inverses, for TransformedDistribution."""

from dataflow.contrib.distributions.bijectors.affine import Affine as Affine
from dataflow.contrib.distributions.bijectors.base import Bijector as Bijector
from dataflow.contrib.distributions.bijectors.base import Identity as Identity
from dataflow.contrib.distributions.bijectors.batch_norm import (
    BatchNormalization as BatchNormalization,
)
from dataflow.contrib.distributions.bijectors.composed import Chain as Chain
from dataflow.contrib.distributions.bijectors.composed import Inline as Inline
from dataflow.contrib.distributions.bijectors.composed import Invert as Invert
from dataflow.contrib.distributions.bijectors.conditional import (
    ConditionalBijector as ConditionalBijector,
)
from dataflow.contrib.distributions.bijectors.elementwise import AbsoluteValue as AbsoluteValue
from dataflow.contrib.distributions.bijectors.elementwise import AffineScalar as AffineScalar
from dataflow.contrib.distributions.bijectors.elementwise import Exp as Exp
from dataflow.contrib.distributions.bijectors.elementwise import PowerTransform as PowerTransform
from dataflow.contrib.distributions.bijectors.elementwise import Sigmoid as Sigmoid
from dataflow.contrib.distributions.bijectors.elementwise import Softplus as Softplus
from dataflow.contrib.distributions.bijectors.elementwise import Softsign as Softsign
from dataflow.contrib.distributions.bijectors.elementwise import Square as Square
from dataflow.contrib.distributions.bijectors.flows import RealNVP as RealNVP
from dataflow.contrib.distributions.bijectors.flows import (
    real_nvp_default_template as real_nvp_default_template,
)
from dataflow.contrib.distributions.bijectors.from_intervals import Gumbel as Gumbel
from dataflow.contrib.distributions.bijectors.from_intervals import Kumaraswamy as Kumaraswamy
from dataflow.contrib.distributions.bijectors.from_intervals import SinhArcsinh as SinhArcsinh
from dataflow.contrib.distributions.bijectors.from_intervals import Weibull as Weibull
from dataflow.contrib.distributions.bijectors.linear_operators import (
    AffineLinearOperator as AffineLinearOperator,
)
from dataflow.contrib.distributions.bijectors.masked_autoregressive import (
    MaskedAutoregressiveFlow as MaskedAutoregressiveFlow,
)
from dataflow.contrib.distributions.bijectors.masked_autoregressive import (
    masked_autoregressive_default_template as masked_autoregressive_default_template,
)
from dataflow.contrib.distributions.bijectors.masked_autoregressive import (
    masked_dense as masked_dense,
)
from dataflow.contrib.distributions.bijectors.matrices import MatrixInverseTriL as MatrixInverseTriL
from dataflow.contrib.distributions.bijectors.matrices import ScaleTriL as ScaleTriL
from dataflow.contrib.distributions.bijectors.matrices import TransformDiagonal as TransformDiagonal
from dataflow.contrib.distributions.bijectors.vectors import (
    CholeskyOuterProduct as CholeskyOuterProduct,
)
from dataflow.contrib.distributions.bijectors.vectors import FillTriangular as FillTriangular
from dataflow.contrib.distributions.bijectors.vectors import Ordered as Ordered
from dataflow.contrib.distributions.bijectors.vectors import Permute as Permute
from dataflow.contrib.distributions.bijectors.vectors import Reshape as Reshape
from dataflow.contrib.distributions.bijectors.vectors import SoftmaxCentered as SoftmaxCentered
