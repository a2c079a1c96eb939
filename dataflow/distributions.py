"""tf.distributions: probability distributions."""

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
