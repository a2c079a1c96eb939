"""tf.contrib.solvers: linear equations by iteration, of operators that only multiply."""

import dataflow.contrib.solvers.operators as _operators
from dataflow.contrib.solvers import lanczos as lanczos
from dataflow.contrib.solvers import least_squares as least_squares
from dataflow.contrib.solvers import linear_equations as linear_equations

util = _operators
