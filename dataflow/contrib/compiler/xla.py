"""tf.contrib.compiler.xla: parts of graphs that would be compiled."""

from dataflow.library.xla.compiled import compile as compile
