"""tf.experimental: what may change."""

from dataflow.control_flow.version import output_all_intermediates as output_all_intermediates
from dataflow.library.concrete.executors import function_executor_type as function_executor_type
