"""The cells of either library.

TensorFlow 2 has no public `tf.nn.rnn_cell` any more; the module it was made of is still there.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl

import dataflow as tf


def cells_of(library: Any) -> Any:
    """What `tf.nn.rnn_cell` holds in either library."""
    return tf.nn.rnn_cell if library is tf else rnn_cell_impl
