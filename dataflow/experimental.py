"""tf.experimental: what may change."""

from dataflow.control_flow.version import output_all_intermediates as output_all_intermediates
