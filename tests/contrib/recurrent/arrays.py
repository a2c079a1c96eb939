"""Formulas in numpy that several tests compare with."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x: Any) -> Any:
    return np.log(softmax(x))


def values(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def fixed_weights(seed: int = 5, scale: float = 0.8) -> Any:
    """An initializer of values that differ from each other, the same ones for each shape."""

    def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        size = [int(each) for each in shape]
        drawn = np.random.RandomState(seed + sum(size)).uniform(-scale, scale, size)
        return tf.constant(drawn.astype(np.float32), dtype=dtype or tf.float32)

    return initializer


def run(*fetches: Any) -> tuple[list[Any], dict[str, Any]]:
    """Values behind the initializers, and those of all variables by name."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        variables = {v.name.removesuffix(":0"): v for v in tf.global_variables()}
        return session.run([list(fetches), variables])


def ints(value: Any) -> Any:
    return np.array(value, np.int32)


def floats(value: Any) -> Any:
    return np.array(value, np.float32)
