"""Small graphs of one op: what they give, and how they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf


def run(build: Callable[[], Any]) -> Any:
    """What is fetched of a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


def refusal(
    build: Callable[[], Any], error: type[tf.OpError] = tf.errors.InvalidArgumentError
) -> str:
    """The first line of the error with which a step fails; its other lines say where."""
    with pytest.raises(error) as caught:
        run(build)
    text = str(caught.value.message)
    assert "[[node" in text
    return text.splitlines()[0]


def hidden(value: Any, dtype: Any = np.int32) -> Any:
    """A tensor of which building knows nothing."""
    return tf.placeholder_with_default(np.array(value, dtype), None)
