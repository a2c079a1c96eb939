"""tf.contrib.bayesflow: expectations by Monte Carlo."""

from dataflow.contrib.bayesflow import monte_carlo as monte_carlo
