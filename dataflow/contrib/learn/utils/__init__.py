"""tf.contrib.learn.utils: what models are exported with."""

from dataflow.contrib.learn.bundle_exports import export_estimator as export_estimator
from dataflow.contrib.learn.utils import input_fn_utils as input_fn_utils
from dataflow.contrib.learn.utils import saved_model_export_utils as saved_model_export_utils
from dataflow.contrib.learn.utils.input_fn_utils import InputFnOps as InputFnOps
from dataflow.contrib.learn.utils.input_fn_utils import (
    build_default_serving_input_fn as build_default_serving_input_fn,
)
from dataflow.contrib.learn.utils.input_fn_utils import (
    build_parsing_serving_input_fn as build_parsing_serving_input_fn,
)
from dataflow.contrib.learn.utils.saved_model_export_utils import (
    make_export_strategy as make_export_strategy,
)
from dataflow.contrib.session_bundle import gc as gc
