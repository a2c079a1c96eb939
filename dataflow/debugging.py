"""tf.debugging: checks of values under TensorFlow's newer names."""

from __future__ import annotations

from dataflow.ops.math import check_numerics, is_finite, is_inf, is_nan
from dataflow.ops.math import verify_tensor_all_finite as assert_all_finite

__all__ = ["assert_all_finite", "check_numerics", "is_finite", "is_inf", "is_nan"]
