"""tf.estimator.inputs: input functions that read arrays and data frames."""

from dataflow.estimation.array_inputs import numpy_input_fn as numpy_input_fn
from dataflow.estimation.array_inputs import pandas_input_fn as pandas_input_fn
