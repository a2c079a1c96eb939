"""tf.contrib.integrate: solvers of ordinary differential equations."""

from dataflow.contrib.integrate.adaptive import odeint as odeint
from dataflow.contrib.integrate.fixed import odeint_fixed as odeint_fixed
