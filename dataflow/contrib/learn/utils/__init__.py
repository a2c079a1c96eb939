"""tf.contrib.learn.utils: what models are exported with."""

from dataflow.contrib.learn.utils import input_fn_utils as input_fn_utils
from dataflow.contrib.learn.utils import saved_model_export_utils as saved_model_export_utils
