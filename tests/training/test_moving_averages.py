"""Moving averages of variables and tensors, against TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_refusal, oracle

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


def weights(library: Any, use_resource: bool) -> list[Any]:
    """Two variables to keep averages of, and one that is not trained."""
    with library.variable_scope("layer", use_resource=use_resource):
        return [
            library.get_variable("a", initializer=[1.0, 2.0]),
            library.get_variable("b", initializer=library.constant(3.0, library.float64)),
            library.get_variable("c", initializer=4.0, trainable=False),
        ]


@KINDS
@pytest.mark.parametrize("num_updates", [None, 2, "variable"])
@pytest.mark.parametrize("zero_debias", [False, True])
def test_values(use_resource: bool, num_updates: Any, zero_debias: bool) -> None:
    def averages(library: Any) -> list[Any]:
        with library.Graph().as_default(), library.Session() as session:
            a, b, _ = weights(library, use_resource)
            count = num_updates
            if num_updates == "variable":
                count = library.Variable(5, trainable=False, use_resource=use_resource)
            kept = library.train.ExponentialMovingAverage(0.9, count, zero_debias)
            tensor = a * 2.0
            update = kept.apply([a, b, tensor])
            session.run(library.global_variables_initializer())
            seen = session.run([kept.average(x) for x in (a, b, tensor)])
            for _ in range(3):
                session.run(library.assign_add(a, [1.0, -1.0]))
                session.run(library.assign_add(b, 0.5))
                session.run(update)
                seen += session.run([kept.average(x) for x in (a, b, tensor)])
            return seen

    for have, want in zip(averages(tf), averages(oracle), strict=True):
        assert np.asarray(have).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(have, want, 2e-6)


@KINDS
def test_names_and_collections(use_resource: bool) -> None:
    def described(library: Any) -> Any:
        with library.Graph().as_default() as graph:
            a, b, c = weights(library, use_resource)
            kept = library.train.ExponentialMovingAverage(0.9, name="Kept")
            expected = [kept.average_name(v) for v in (a, b, c)]
            assert kept.average(a) is None
            update = kept.apply()
            with library.name_scope("again"):
                more = kept.apply([a])
            keys = library.GraphKeys
            return {
                "name": kept.name,
                "expected": expected,
                "names": [kept.average_name(v) for v in (a, b, c)],
                "averages": [kept.average(v).name for v in (a, b)],
                "updates": (update.name, more.name),
                "averaged": [v.name for v in graph.get_collection(keys.MOVING_AVERAGE_VARIABLES)],
                "globals": [v.name for v in graph.get_collection(keys.GLOBAL_VARIABLES)],
                "trained": [v.name for v in graph.get_collection(keys.TRAINABLE_VARIABLES)],
                "restored": {k: v.name for k, v in kept.variables_to_restore().items()},
                "of_one": {k: v.name for k, v in kept.variables_to_restore([c]).items()},
            }

    assert described(tf) == described(oracle)


def test_average_follows_training() -> None:
    """The usual pattern: the average after the step, in one operation."""

    def trained(library: Any) -> Any:
        with library.Graph().as_default(), library.Session() as session:
            value = library.Variable([1.0, -1.0])
            step = library.train.get_or_create_global_step()
            train = library.train.GradientDescentOptimizer(0.1).minimize(
                library.reduce_sum(value * value), step
            )
            kept = library.train.ExponentialMovingAverage(0.5, step)
            with library.control_dependencies([train]):
                both = kept.apply([value])
            session.run(library.global_variables_initializer())
            for _ in range(5):
                session.run(both)
            return session.run([value, kept.average(value), step])

    for have, want in zip(trained(tf), trained(oracle), strict=True):
        np.testing.assert_allclose(have, want, 1e-6)


def test_integers_have_no_average() -> None:
    def program(library: Any) -> Any:
        library.train.ExponentialMovingAverage(0.9).apply([library.Variable(1, name="n")])

    assert_same_refusal(program)
