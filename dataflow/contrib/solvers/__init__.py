"""tf.contrib.solvers: linear equations by iteration, of operators that only multiply."""

from dataflow.contrib.solvers import lanczos as lanczos
from dataflow.contrib.solvers import least_squares as least_squares
from dataflow.contrib.solvers import linear_equations as linear_equations
from dataflow.contrib.solvers import util as util
