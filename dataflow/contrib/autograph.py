"""tf.contrib.autograph: what tf.autograph has, by its former path."""

from dataflow.library.autograph.features import Feature as Feature
from dataflow.library.autograph.marks import do_not_convert as do_not_convert
from dataflow.library.autograph.public import set_loop_options as set_loop_options
from dataflow.library.autograph.public import to_code as to_code
from dataflow.library.autograph.public import to_graph as to_graph
