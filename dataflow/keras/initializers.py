"""tf.keras.initializers: the initializers of tf.initializers, by all their names."""

from __future__ import annotations

from typing import Any

import dataflow.variables.scaled_initializers as _scaled
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.values import dtypes as _dtypes
from dataflow.variables.initializers import Constant as Constant
from dataflow.variables.initializers import Identity as Identity
from dataflow.variables.initializers import Initializer as Initializer
from dataflow.variables.initializers import Ones as Ones
from dataflow.variables.initializers import Orthogonal as Orthogonal
from dataflow.variables.initializers import RandomNormal as _RandomNormal
from dataflow.variables.initializers import RandomUniform as _RandomUniform
from dataflow.variables.initializers import TruncatedNormal as _TruncatedNormal
from dataflow.variables.initializers import Zeros as Zeros
from dataflow.variables.scaled_initializers import VarianceScaling as VarianceScaling
from dataflow.variables.scaled_initializers import he_normal as he_normal
from dataflow.variables.scaled_initializers import he_uniform as he_uniform
from dataflow.variables.scaled_initializers import lecun_normal as lecun_normal
from dataflow.variables.scaled_initializers import lecun_uniform as lecun_uniform


class RandomNormal(_RandomNormal):
    """Of a normal distribution; its deviation is 0.05 by default, not 1."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = _dtypes.float32
    ) -> None:
        """See `tf.random_normal_initializer`."""
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_TruncatedNormal):
    """Of a truncated normal distribution; its deviation is 0.05 by default, not 1."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = _dtypes.float32
    ) -> None:
        """See `tf.truncated_normal_initializer`."""
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_RandomUniform):
    """Of a uniform distribution; from -0.05 to 0.05 by default, not from 0 to 1."""

    def __init__(
        self,
        minval: Any = -0.05,
        maxval: Any = 0.05,
        seed: Any = None,
        dtype: Any = _dtypes.float32,
    ) -> None:
        """See `tf.random_uniform_initializer`."""
        super().__init__(minval, maxval, seed, dtype)


constant = Constant
glorot_normal = _scaled.GlorotNormal
glorot_uniform = _scaled.GlorotUniform
identity = Identity
normal = random_normal = RandomNormal
one = ones = Ones
orthogonal = Orthogonal
truncated_normal = TruncatedNormal
uniform = random_uniform = RandomUniform
zero = zeros = Zeros
_FUNCTIONS = ("he_normal", "he_uniform", "lecun_normal", "lecun_uniform")
"""Give initializers, where the other names are those of classes."""


def get(identifier: Any) -> Any:
    """An initializer as it is, or made of its class, its name or its configuration.

    Raises:
      ValueError: If there is none of this name.
    """
    if isinstance(identifier, str) and identifier in _FUNCTIONS:
        identifier = {"class_name": identifier, "config": {}}
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if identifier is None or callable(identifier):
        return identifier() if isinstance(identifier, type) else identifier
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The initializer of a name or configuration."""
    named = {name: each for name, each in globals().items() if not name.startswith("_")}
    named |= {"GlorotNormal": glorot_normal, "GlorotUniform": glorot_uniform}
    return deserialize_keras_object(config, named, custom_objects, "initializer")


def serialize(initializer: Any) -> Any:
    """The class and the arguments of an initializer, or the name of a function."""
    return serialize_keras_object(initializer)
