"""tf.compat.v2.linalg where it is not tf.linalg."""

from __future__ import annotations

from dataflow.porting.v2.respell import respelled

l2_normalize = respelled("linalg.l2_normalize", "x", axis=None, epsilon=1e-12, name=None)
norm = respelled("linalg.norm", "tensor", ord="euclidean", axis=None, keepdims=None, name=None)
