"""tf.contrib.specs: nets written as expressions, in texts."""

from dataflow.contrib.specs.evaluation import LocalImport as LocalImport
from dataflow.contrib.specs.evaluation import create_net as create_net
from dataflow.contrib.specs.evaluation import create_net_fun as create_net_fun
from dataflow.contrib.specs.evaluation import eval_params as eval_params
from dataflow.contrib.specs.evaluation import eval_spec as eval_spec
from dataflow.contrib.specs.evaluation import ops as ops
from dataflow.contrib.specs.summaries import tf_left_split as tf_left_split
from dataflow.contrib.specs.summaries import tf_num_params as tf_num_params
from dataflow.contrib.specs.summaries import tf_parameter_iter as tf_parameter_iter
from dataflow.contrib.specs.summaries import tf_parameter_summary as tf_parameter_summary
from dataflow.contrib.specs.summaries import tf_print as tf_print
from dataflow.contrib.specs.summaries import tf_spec_print as tf_spec_print
from dataflow.contrib.specs.summaries import tf_spec_structure as tf_spec_structure
from dataflow.contrib.specs.summaries import tf_spec_summary as tf_spec_summary
from dataflow.contrib.specs.summaries import tf_structure as tf_structure
