"""Functions that TensorFlow's modules have by another name than its public ones do."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from tests.oracle import open_session

# An operation's generated function has such a name, too, and takes other arguments.
NAMES = {
    "array_ops": "pad_v2 gather_v2",
    "image_ops_impl": "non_max_suppression_with_overlaps draw_bounding_boxes_v2 "
    "resize_image_with_pad_v2",
    "linalg.linalg_impl": "matrix_exponential",
    "random_ops": "random_poisson_v2",
    "sparse_ops": "sparse_cross_hashed deserialize_sparse",
    "stateless_random_ops": "stateless_random_normal stateless_truncated_normal",
    "string_ops": "string_format string_length",
    "distributions.util": "get_logits_and_probs assert_integer_form assert_symmetric "
    "embed_check_nonnegative_integer_form embed_check_integer_casting_closed "
    "embed_check_categorical_event_shape same_dynamic_shape maybe_get_static_value "
    "prefer_static_broadcast_shape prefer_static_rank prefer_static_shape prefer_static_value "
    "log_combinations rotate_transpose pick_vector gen_new_seed dimension_size",
    "distributions.special_math": "log_cdf_laplace",
    "distributions.kullback_leibler": "cross_entropy",
}


@pytest.mark.parametrize("path", NAMES)
def test_they_take_what_tensorflows_take(path: str) -> None:
    path_there = f"tensorflow.python.ops.{path}"
    ours, theirs = TensorflowModule(path_there), importlib.import_module(path_there)
    for name in NAMES[path].split():
        taken = [list(inspect.signature(getattr(m, name)).parameters) for m in (ours, theirs)]
        assert taken[0] == taken[1], name


def _fed(tf: Any, value: Any) -> Any:
    return tf.placeholder_with_default(value, None)


X = np.arange(24.0).reshape(2, 3, 4)
VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "logits": lambda tf, m: m.get_logits_and_probs(probs=[0.2, 0.8], multidimensional=True),
    "whole": lambda tf, m: m.embed_check_nonnegative_integer_form([1.0, 2.0]),
    "same shapes": lambda tf, m: [
        m.same_dynamic_shape(X, other) for other in (X + 1, X[0], _fed(tf, X[:1]))
    ],
    "known shapes": lambda tf, m: [
        m.prefer_static_shape(X),
        m.prefer_static_rank(_fed(tf, X)),
        m.prefer_static_broadcast_shape([2, 1], [3]).as_list(),
        m.prefer_static_broadcast_shape(_fed(tf, [2, 1]), [3]),
        m.dimension_size(_fed(tf, X), 1),
    ],
    "combinations": lambda tf, m: m.log_combinations(5.0, [[2.0, 3.0], [5.0, 0.0]]),
    "rotations": lambda tf, m: [
        m.rotate_transpose(x, n) for n in (-4, -1, 0, 2, 3) for x in (X, _fed(tf, X))
    ],
    "one of two": lambda tf, m: [
        m.pick_vector(which, [1, 2], [3, 4, 5]) for which in (True, _fed(tf, True), _fed(tf, False))
    ],
    "seeds": lambda tf, m: [m.gen_new_seed(7, "salt")],
}


def _found(library: Any, module: Any, program: str) -> Any:
    with library.Graph().as_default(), open_session(library) as session:
        made = VALUES[program](library, module)
        tensors = (
            [library.convert_to_tensor(each) for each in made]
            if isinstance(made, (list, tuple))
            else [made]
        )
        return session.run(tensors)


@pytest.mark.parametrize("program", VALUES)
def test_pieces_of_distributions_are_tensorflows(program: str) -> None:
    path = "tensorflow.python.ops.distributions.util"
    ours = _found(tf, TensorflowModule(path), program)
    theirs = _found(oracle, importlib.import_module(path), program)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "one class": lambda tf, m: m.embed_check_categorical_event_shape([1.0]),
    "one class, fed": lambda tf, m: m.embed_check_categorical_event_shape(_fed(tf, [1.0])),
    "too many classes": lambda tf, m: m.embed_check_categorical_event_shape(
        tf.zeros([2049], tf.float16)
    ),
    "no classes": lambda tf, m: m.embed_check_categorical_event_shape(1.0),
    "classes of integers": lambda tf, m: m.embed_check_categorical_event_shape([1, 2]),
    "too large": lambda tf, m: m.embed_check_integer_casting_closed(
        _fed(tf, np.int32([1, 2**20])), tf.int16
    ),
    "too small": lambda tf, m: m.embed_check_integer_casting_closed(
        _fed(tf, np.int32([1, -(2**20)])), tf.int16, assert_nonnegative=False
    ),
    "not whole": lambda tf, m: m.embed_check_integer_casting_closed(
        _fed(tf, np.float32([1.5])), tf.int16
    ),
    "negative": lambda tf, m: m.embed_check_integer_casting_closed(_fed(tf, -1.0), tf.int32),
}


def _text(library: Any, module: Any, program: str) -> tuple[str, str]:
    with library.Graph().as_default(), open_session(library) as session:
        try:
            session.run(REFUSED[program](library, module))
        except (ValueError, TypeError, library.errors.InvalidArgumentError) as error:
            message = getattr(error, "message", None) or str(error)
            asserted = re.search(r"assertion failed: \[(.*?)\]", message)
            return type(error).__name__, asserted[1] if asserted else message
    raise AssertionError(f"{program} passes")


@pytest.mark.parametrize("program", REFUSED)
def test_values_that_distributions_refuse(program: str) -> None:
    path = "tensorflow.python.ops.distributions.util"
    ours = _text(tf, TensorflowModule(path), program)
    assert ours == _text(oracle, importlib.import_module(path), program)
