"""tf.contrib.distributions: the distributions of tf.distributions, more of them, and bijectors."""

from dataflow.contrib.distributions import bijectors as bijectors
from dataflow.contrib.distributions.autoregressive import Autoregressive as Autoregressive
from dataflow.contrib.distributions.batch_reshape import BatchReshape as BatchReshape
from dataflow.contrib.distributions.conditional import (
    ConditionalDistribution as ConditionalDistribution,
)
from dataflow.contrib.distributions.conditional import (
    ConditionalTransformedDistribution as ConditionalTransformedDistribution,
)
from dataflow.contrib.distributions.conjugates import (
    normal_conjugates_known_scale_posterior as normal_conjugates_known_scale_posterior,
)
from dataflow.contrib.distributions.conjugates import (
    normal_conjugates_known_scale_predictive as normal_conjugates_known_scale_predictive,
)
from dataflow.contrib.distributions.counts import Binomial as Binomial
from dataflow.contrib.distributions.counts import Geometric as Geometric
from dataflow.contrib.distributions.counts import NegativeBinomial as NegativeBinomial
from dataflow.contrib.distributions.counts import Poisson as Poisson
from dataflow.contrib.distributions.deterministic import Deterministic as Deterministic
from dataflow.contrib.distributions.deterministic import VectorDeterministic as VectorDeterministic
from dataflow.contrib.distributions.independent import Independent as Independent
from dataflow.contrib.distributions.inverse_gamma import InverseGamma as InverseGamma
from dataflow.contrib.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from dataflow.contrib.distributions.location_scale import Cauchy as Cauchy
from dataflow.contrib.distributions.location_scale import Gumbel as Gumbel
from dataflow.contrib.distributions.location_scale import HalfNormal as HalfNormal
from dataflow.contrib.distributions.location_scale import Logistic as Logistic
from dataflow.contrib.distributions.made_positive import (
    BetaWithSoftplusConcentration as BetaWithSoftplusConcentration,
)
from dataflow.contrib.distributions.made_positive import Chi2 as Chi2
from dataflow.contrib.distributions.made_positive import Chi2WithAbsDf as Chi2WithAbsDf
from dataflow.contrib.distributions.made_positive import (
    ExponentialWithSoftplusRate as ExponentialWithSoftplusRate,
)
from dataflow.contrib.distributions.made_positive import (
    GammaWithSoftplusConcentrationRate as GammaWithSoftplusConcentrationRate,
)
from dataflow.contrib.distributions.made_positive import (
    InverseGammaWithSoftplusConcentrationRate as InverseGammaWithSoftplusConcentrationRate,
)
from dataflow.contrib.distributions.made_positive import (
    LaplaceWithSoftplusScale as LaplaceWithSoftplusScale,
)
from dataflow.contrib.distributions.made_positive import (
    MultivariateNormalDiagWithSoftplusScale as MultivariateNormalDiagWithSoftplusScale,
)
from dataflow.contrib.distributions.made_positive import (
    NormalWithSoftplusScale as NormalWithSoftplusScale,
)
from dataflow.contrib.distributions.made_positive import (
    StudentTWithAbsDfSoftplusScale as StudentTWithAbsDfSoftplusScale,
)
from dataflow.contrib.distributions.mixtures import Mixture as Mixture
from dataflow.contrib.distributions.mixtures import MixtureSameFamily as MixtureSameFamily
from dataflow.contrib.distributions.moving_statistics import (
    assign_log_moving_mean_exp as assign_log_moving_mean_exp,
)
from dataflow.contrib.distributions.moving_statistics import (
    assign_moving_mean_variance as assign_moving_mean_variance,
)
from dataflow.contrib.distributions.moving_statistics import (
    moving_mean_variance as moving_mean_variance,
)
from dataflow.contrib.distributions.one_hot import (
    ExpRelaxedOneHotCategorical as ExpRelaxedOneHotCategorical,
)
from dataflow.contrib.distributions.one_hot import OneHotCategorical as OneHotCategorical
from dataflow.contrib.distributions.poisson_lognormal import (
    PoissonLogNormalQuadratureCompound as PoissonLogNormalQuadratureCompound,
)
from dataflow.contrib.distributions.poisson_lognormal import (
    quadrature_scheme_lognormal_gauss_hermite as quadrature_scheme_lognormal_gauss_hermite,
)
from dataflow.contrib.distributions.poisson_lognormal import (
    quadrature_scheme_lognormal_quantiles as quadrature_scheme_lognormal_quantiles,
)
from dataflow.contrib.distributions.quantized import QuantizedDistribution as QuantizedDistribution
from dataflow.contrib.distributions.relaxed import RelaxedBernoulli as RelaxedBernoulli
from dataflow.contrib.distributions.relaxed import (
    RelaxedOneHotCategorical as RelaxedOneHotCategorical,
)
from dataflow.contrib.distributions.sample_statistics import auto_correlation as auto_correlation
from dataflow.contrib.distributions.sample_statistics import percentile as percentile
from dataflow.contrib.distributions.seed_stream import SeedStream as SeedStream
from dataflow.contrib.distributions.sinh_arcsinh import SinhArcsinh as SinhArcsinh
from dataflow.contrib.distributions.sinh_arcsinh import (
    VectorSinhArcsinhDiag as VectorSinhArcsinhDiag,
)
from dataflow.contrib.distributions.transformed import (
    TransformedDistribution as TransformedDistribution,
)
from dataflow.contrib.distributions.triangular import fill_triangular as fill_triangular
from dataflow.contrib.distributions.triangular import (
    fill_triangular_inverse as fill_triangular_inverse,
)
from dataflow.contrib.distributions.triangular import matrix_diag_transform as matrix_diag_transform
from dataflow.contrib.distributions.triangular import (
    reduce_weighted_logsumexp as reduce_weighted_logsumexp,
)
from dataflow.contrib.distributions.triangular import softplus_inverse as softplus_inverse
from dataflow.contrib.distributions.triangular import tridiag as tridiag
from dataflow.contrib.distributions.vectors.by_operators import (
    VectorExponentialDiag as VectorExponentialDiag,
)
from dataflow.contrib.distributions.vectors.by_operators import (
    VectorLaplaceDiag as VectorLaplaceDiag,
)
from dataflow.contrib.distributions.vectors.diffeomixture import (
    VectorDiffeomixture as VectorDiffeomixture,
)
from dataflow.contrib.distributions.vectors.multivariate_normal import (
    MultivariateNormalDiag as MultivariateNormalDiag,
)
from dataflow.contrib.distributions.vectors.multivariate_normal import (
    MultivariateNormalDiagPlusLowRank as MultivariateNormalDiagPlusLowRank,
)
from dataflow.contrib.distributions.vectors.multivariate_normal import (
    MultivariateNormalFullCovariance as MultivariateNormalFullCovariance,
)
from dataflow.contrib.distributions.vectors.multivariate_normal import (
    MultivariateNormalTriL as MultivariateNormalTriL,
)
from dataflow.contrib.distributions.vectors.quadrature import (
    quadrature_scheme_softmaxnormal_gauss_hermite as quadrature_scheme_softmaxnormal_gauss_hermite,
)
from dataflow.contrib.distributions.vectors.quadrature import (
    quadrature_scheme_softmaxnormal_quantiles as quadrature_scheme_softmaxnormal_quantiles,
)
from dataflow.contrib.distributions.vectors.wishart import WishartCholesky as WishartCholesky
from dataflow.contrib.distributions.vectors.wishart import WishartFull as WishartFull
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from dataflow.library.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from dataflow.library.distributions.base import Distribution as Distribution
from dataflow.library.distributions.base import ReparameterizationType as ReparameterizationType
from dataflow.library.distributions.discrete import Bernoulli as Bernoulli
from dataflow.library.distributions.discrete import Categorical as Categorical
from dataflow.library.distributions.exponential import Exponential as Exponential
from dataflow.library.distributions.exponential import Gamma as Gamma
from dataflow.library.distributions.kullback_leibler import RegisterKL as RegisterKL
from dataflow.library.distributions.kullback_leibler import kl_divergence as kl_divergence
from dataflow.library.distributions.laplace import Laplace as Laplace
from dataflow.library.distributions.laplace import Uniform as Uniform
from dataflow.library.distributions.normal import Normal as Normal
from dataflow.library.distributions.simplex import Dirichlet as Dirichlet
from dataflow.library.distributions.simplex import DirichletMultinomial as DirichletMultinomial
from dataflow.library.distributions.simplex import Multinomial as Multinomial
from dataflow.library.distributions.student_t import Beta as Beta
from dataflow.library.distributions.student_t import StudentT as StudentT
