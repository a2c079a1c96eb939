"""tf.autograph.experimental: what is converted, and options of loops."""

from dataflow.library.autograph.features import Feature as Feature
from dataflow.library.autograph.marks import do_not_convert as do_not_convert
from dataflow.library.autograph.public import set_loop_options as set_loop_options
