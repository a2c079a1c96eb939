"""tf.compat.v2.math where it is not tf.math."""

from __future__ import annotations

from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

argmax = respelled("math.argmax", "input", axis=None, output_type=_dtypes.int64, name=None)
argmin = respelled("math.argmin", "input", axis=None, output_type=_dtypes.int64, name=None)
bincount = respelled(
    "math.bincount",
    "arr",
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=_dtypes.int32,
)
confusion_matrix = respelled(
    "math.confusion_matrix",
    "labels predictions",
    num_classes=None,
    weights=None,
    dtype=_dtypes.int32,
    name=None,
)
count_nonzero = respelled(
    "math.count_nonzero", "input", axis=None, keepdims=None, dtype=_dtypes.int64, name=None
)
in_top_k = respelled("math.in_top_k", "targets predictions k", name=None)
l2_normalize = respelled("math.l2_normalize", "x", axis=None, epsilon=1e-12, name=None)
log_softmax = respelled("math.log_softmax", "logits", axis=None, name=None)
reduce_all = respelled("math.reduce_all", "input_tensor", axis=None, keepdims=False, name=None)
reduce_any = respelled("math.reduce_any", "input_tensor", axis=None, keepdims=False, name=None)
reduce_logsumexp = respelled(
    "math.reduce_logsumexp", "input_tensor", axis=None, keepdims=False, name=None
)
reduce_max = respelled("math.reduce_max", "input_tensor", axis=None, keepdims=False, name=None)
reduce_mean = respelled("math.reduce_mean", "input_tensor", axis=None, keepdims=False, name=None)
reduce_min = respelled("math.reduce_min", "input_tensor", axis=None, keepdims=False, name=None)
reduce_prod = respelled("math.reduce_prod", "input_tensor", axis=None, keepdims=False, name=None)
reduce_sum = respelled("math.reduce_sum", "input_tensor", axis=None, keepdims=False, name=None)
scalar_mul = respelled("math.scalar_mul", "scalar x", name=None)
softmax = respelled("math.softmax", "logits", axis=None, name=None)
