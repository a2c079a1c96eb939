"""tf.compat.v1: this library, which is TensorFlow 1's API."""

import sys as _sys

import dataflow as _dataflow
import dataflow.errors as _errors

_sys.modules[__name__] = _dataflow
# `import dataflow.compat.v1.nn` may load names a second time; the classes of errors it must not.
_sys.modules[f"{__name__}.errors"] = _errors
