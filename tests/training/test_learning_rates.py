"""Learning rates over the steps, against TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_refusal, oracle

RATES: dict[str, Callable[[Any, Any], Any]] = {
    "exponential": lambda t, s: t.exponential_decay(0.1, s, 4, 0.9),
    "stairs": lambda t, s: t.exponential_decay(0.1, s, 4, 0.9, staircase=True),
    "natural": lambda t, s: t.natural_exp_decay(0.1, s, 4, 0.5, staircase=True),
    "inverse": lambda t, s: t.inverse_time_decay(0.1, s, 4, 0.5),
    "polynomial": lambda t, s: t.polynomial_decay(0.1, s, 10, 0.01, power=0.5),
    "cycle": lambda t, s: t.polynomial_decay(0.1, s, 4, 0.01, cycle=True),
    "piecewise": lambda t, s: t.piecewise_constant(s, [3, 7, 9], [0.1, 0.05, 0.02, 0.01]),
    "piecewise_two": lambda t, s: t.piecewise_constant_decay(s, [5], [1, 0], name="two"),
    "cosine": lambda t, s: t.cosine_decay(0.1, s, 10, alpha=0.1),
    "restarts": lambda t, s: t.cosine_decay_restarts(0.1, s, 3, t_mul=1.5, m_mul=0.8, alpha=0.1),
    "restarts_level": lambda t, s: t.cosine_decay_restarts(0.1, s, 3, t_mul=1.0),
    "linear_cosine": lambda t, s: t.linear_cosine_decay(0.1, s, 10, num_periods=1.5),
}


@pytest.mark.parametrize("kind", ["int32", "int64", "ref", "resource"])
@pytest.mark.parametrize("rate", RATES)
def test_rates(rate: str, kind: str) -> None:
    def rates(library: Any) -> list[Any]:
        with library.Graph().as_default(), library.Session() as session:
            if kind.startswith("int"):
                step = library.placeholder(library.as_dtype(kind), [])
                fetched = RATES[rate](library.train, step)
                return [session.run(fetched, {step: i}) for i in range(13)]
            step = library.Variable(np.int64(0), trainable=False, use_resource=kind == "resource")
            fetched = RATES[rate](library.train, step)
            session.run(step.initializer)
            seen = []
            for _ in range(13):
                seen.append(session.run(fetched))
                session.run(step.assign_add(1).op)
            return seen

    have, want = rates(tf), rates(oracle)
    assert np.asarray(have).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(have, want, 1e-5)


def test_names_of_results() -> None:
    def names(library: Any) -> list[str]:
        with library.Graph().as_default():
            train, step = library.train, library.constant(3)
            made = [
                train.cosine_decay_restarts(0.1, step, 3),
                train.cosine_decay_restarts(0.1, step, 3, name="again"),
            ]
            return [tensor.name for tensor in made]

    assert names(tf) == names(oracle)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "types_of_boundaries": lambda tf: tf.train.piecewise_constant(
        tf.constant(1), [1.0, 2.0], [0.1, 0.2, 0.3]
    ),
    "types_of_values": lambda tf: tf.train.piecewise_constant(tf.constant(1), [1], [1, 0.5]),
    "number_of_values": lambda tf: tf.train.piecewise_constant(tf.constant(1), [1, 2], [0.1, 0.2]),
    "no_step": lambda tf: tf.train.exponential_decay(0.1, None, 3, 0.5),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    assert_same_refusal(REFUSED[case])
