"""Serialized examples that the rows read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import dataflow as tf


def feature(values: Sequence[Any]) -> Any:
    """A feature with a list of byte strings, floats or integers; one without a list of nothing."""
    if not values:
        return tf.train.Feature()
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def features(values: Mapping[str, Sequence[Any]]) -> Any:
    """Features by key."""
    return tf.train.Features(feature={key: feature(each) for key, each in values.items()})


def example(**values: Sequence[Any]) -> bytes:
    """A serialized example."""
    return tf.train.Example(features=features(values)).SerializeToString()


def sequence(context: Mapping[str, Any], **steps: Sequence[Sequence[Any]]) -> bytes:
    """A serialized sequence example."""
    lists = {
        key: tf.train.FeatureList(feature=[feature(each) for each in rows])
        for key, rows in steps.items()
    }
    return tf.train.SequenceExample(
        context=features(context), feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()


def strings(*values: bytes) -> np.ndarray:
    """A vector of strings."""
    made = np.empty(len(values), object)
    made[:] = values
    return made


def text(value: bytes) -> np.ndarray:
    """A string."""
    return np.array(value, object)


EXAMPLES = tuple(
    example(
        f=[1.5, -2.0, float(i)],
        i=[i * 100, -i],
        s=[b"x" * (60 * i)],
        v=list(range(i)),
        w=[float(j) for j in range(2 * i)],
        t=[b"ab", b""] * i,
    )
    for i in range(4)
)
"""Of some features with differing numbers of elements."""
SEQUENCES = tuple(
    sequence(
        {"f": [1.5, float(i)], "v": list(range(i)), "t": [b"q"] * i},
        d=[[j, -300 * j] for j in range(i)],
        s=[[b"a"] * j for j in range(i)],
        w=[[0.5, float(j)] for j in range(1, i)],
    )
    for i in range(4)
)
