"""Says that there is no tf.compat.v2."""

from dataflow.library.compatibility import NO_V2 as _NO_V2

raise ImportError(_NO_V2)
