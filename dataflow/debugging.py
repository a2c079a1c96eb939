"""tf.debugging: checks of values under TensorFlow's newer names."""

import dataflow.ops.math.check as _check
from dataflow.control_flow.assertion import Assert as Assert
from dataflow.graph.tracebacks import (
    disable_traceback_filtering as disable_traceback_filtering,
)
from dataflow.graph.tracebacks import (
    enable_traceback_filtering as enable_traceback_filtering,
)
from dataflow.graph.tracebacks import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from dataflow.library.check_shapes import assert_shapes as assert_shapes
from dataflow.library.check_types import assert_integer as assert_integer
from dataflow.library.check_types import assert_proper_iterable as assert_proper_iterable
from dataflow.library.check_types import assert_rank as assert_rank
from dataflow.library.check_types import assert_rank_at_least as assert_rank_at_least
from dataflow.library.check_types import assert_rank_in as assert_rank_in
from dataflow.library.check_types import assert_same_float_dtype as assert_same_float_dtype
from dataflow.library.check_types import assert_scalar as assert_scalar
from dataflow.library.check_types import assert_type as assert_type
from dataflow.library.check_values import assert_equal as assert_equal
from dataflow.library.check_values import assert_greater as assert_greater
from dataflow.library.check_values import assert_greater_equal as assert_greater_equal
from dataflow.library.check_values import assert_less as assert_less
from dataflow.library.check_values import assert_less_equal as assert_less_equal
from dataflow.library.check_values import assert_near as assert_near
from dataflow.library.check_values import assert_negative as assert_negative
from dataflow.library.check_values import assert_non_negative as assert_non_negative
from dataflow.library.check_values import assert_non_positive as assert_non_positive
from dataflow.library.check_values import assert_none_equal as assert_none_equal
from dataflow.library.check_values import assert_positive as assert_positive
from dataflow.library.check_values import is_non_decreasing as is_non_decreasing
from dataflow.library.check_values import is_numeric_tensor as is_numeric_tensor
from dataflow.library.check_values import is_strictly_increasing as is_strictly_increasing
from dataflow.ops.math.check import check_numerics as check_numerics
from dataflow.ops.math.rounding import is_finite as is_finite
from dataflow.ops.math.rounding import is_inf as is_inf
from dataflow.ops.math.rounding import is_nan as is_nan
from dataflow.session.defaults import get_log_device_placement as get_log_device_placement
from dataflow.session.defaults import set_log_device_placement as set_log_device_placement

assert_all_finite = _check.verify_tensor_all_finite
