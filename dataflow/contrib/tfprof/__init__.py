"""tf.contrib.tfprof: tf.profiler under its first name."""

from dataflow.contrib.tfprof import model_analyzer as model_analyzer
from dataflow.contrib.tfprof import tfprof_logger as tfprof_logger
from dataflow.contrib.tfprof.profile_context import ProfileContext as ProfileContext
