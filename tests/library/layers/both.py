"""The layers of either library.

TensorFlow 2 has no public `tf.layers` any more; the modules it was made of are still there, but for
batch normalization.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

from tensorflow.python.keras.engine.input_spec import InputSpec
from tensorflow.python.keras.legacy_tf_layers import base, convolutional, core, pooling

import dataflow as tf

_THEIRS = SimpleNamespace(
    **dict(
        itertools.chain.from_iterable(
            vars(module).items() for module in (base, convolutional, core, pooling)
        )
    )
)
_THEIRS.InputSpec = InputSpec


def layers_of(library: Any) -> Any:
    """What `tf.layers` holds in either library."""
    return tf.layers if library is tf else _THEIRS
