"""tf.compat.v2.random where it is not tf.random."""

from __future__ import annotations

from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

poisson = respelled("random.poisson", "shape lam", dtype=_dtypes.float32, seed=None, name=None)
set_seed = respelled("set_random_seed", "seed")
