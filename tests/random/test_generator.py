"""tf.random.Generator draws TensorFlow's numbers, one draw after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def _both(build: Callable[[Any, Any], list[Any]], make: Callable[[Any], Any]) -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            generator = make(library.random.Generator)
            fetches = build(library, generator)
            for variable in library.global_variables():
                session.run(variable.initializer)
            values = []
            for _ in range(2):
                for fetch in fetches:
                    values += [session.run(fetch), session.run(generator.state)]
            names = [each.name for each in fetches] + [generator.state.name]
            found.append((values, names, [each.shape.as_list() for each in fetches]))
    for want, have in zip(found[0][0], found[1][0], strict=True):
        assert have.dtype == want.dtype
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)
    assert found[1][1:] == found[0][1:]


def _draws(library: Any, generator: Any) -> list[Any]:
    return [
        generator.normal([2, 3]),
        generator.normal((), 1.0, 2.0, library.float64, name="one"),
        generator.truncated_normal([5], 3.0),
        generator.uniform([4], -1.0, 1.0),
        generator.uniform([4], 3, 90, library.int32),
        generator.uniform([2], None, None, library.int64),
        generator.uniform_full_int([3]),
        generator.make_seeds(2),
        generator.skip(7),
        generator.key,
    ]


@pytest.mark.parametrize("seed", [1234, 2**130 + 2**64 + 2**63, [7, 8]], ids=str)
def test_draws_of_a_seed(seed: Any) -> None:
    _both(_draws, lambda kind: kind.from_seed(seed))


def test_other_ways_to_make_one() -> None:
    def few(library: Any, generator: Any) -> list[Any]:
        return [generator.normal([3])]

    _both(few, lambda kind: kind.from_state([1, 2, 2**64 - 1], "philox"))
    _both(few, lambda kind: kind.from_key_counter(5, [3, 2**63], "auto_select"))
    _both(few, lambda kind: kind(copy_from=kind.from_seed(3, alg=1)))


def test_a_state_of_another_size_is_refused() -> None:
    for library in (oracle, tf):
        with library.Graph().as_default():
            with pytest.raises(ValueError, match="incompatible"):
                library.random.Generator.from_state([1, 2], "philox")
            with pytest.raises(ValueError, match="unsupported value foo"):
                library.random.Generator.from_seed(1, "foo")
            with pytest.raises(ValueError, match="must be both"):
                library.random.Generator.from_seed(1).uniform([2], None, 3, library.int32)


def test_binomial_numbers() -> None:
    """TensorFlow's generator does not keep the place of its first draw; later ones go on."""
    places = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            generator = library.random.Generator.from_seed(3)
            drawn = generator.binomial([7, 3], [3.0] * 3, 0.4)
            session.run(generator.state.initializer)
            first = session.run(drawn)
            start = session.run(generator.state)
            for _ in range(2):
                last = session.run(drawn)
            places.append((first.tolist(), last.dtype, session.run(generator.state)[0] - start[0]))
    (theirs, dtype, step), (ours, own_dtype, own_step) = places
    assert (ours, own_dtype, own_step) == (theirs, dtype, step)


def test_a_state_that_nothing_decides() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        generators = [tf.random.Generator.from_non_deterministic_state() for _ in range(2)]
        session.run([generator.state.initializer for generator in generators])
        first, second = session.run([generator.state for generator in generators])
        assert first.shape == second.shape == (3,)
        assert first.tolist() != second.tolist()


def test_the_generator_that_programs_share() -> None:
    with tf.Graph().as_default():
        own = tf.random.Generator.from_seed(1)
        tf.random.set_global_generator(own)
        assert tf.random.get_global_generator() is own
        assert tf.random.experimental.get_global_generator() is own


def test_a_shuffle_of_seeds() -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            shuffled = library.random.experimental.stateless_shuffle(np.arange(9), [1, 2])
            found.append((shuffled.shape.as_list(), session.run(shuffled).tolist()))
    assert found[0] == found[1]
