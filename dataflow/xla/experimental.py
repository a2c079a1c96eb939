"""tf.xla.experimental: parts of graphs that are marked for XLA."""

from dataflow.library.xla.compiled import compile as compile
from dataflow.library.xla.jit_scope import jit_scope as jit_scope
