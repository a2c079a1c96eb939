"""tf.contrib.compiler: what programs say to XLA."""

from dataflow.contrib.compiler import jit as jit
from dataflow.contrib.compiler import xla as xla
