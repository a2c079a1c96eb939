"""Initializers make TensorFlow's nodes and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle

Program = Callable[[Any], Any]

MADE: dict[str, Callable[[Any], Any]] = {
    "zeros": lambda lib: lib.zeros_initializer(),
    "zeros float64": lambda lib: lib.zeros_initializer(lib.float64),
    "ones": lambda lib: lib.ones_initializer(),
    "constant": lambda lib: lib.constant_initializer(2.5),
    "constant int": lambda lib: lib.constant_initializer(3, dtype=lib.int32),
    "constant list": lambda lib: lib.constant_initializer([1.0, 2.0]),
    "constant array": lambda lib: lib.constant_initializer(np.arange(12.0)),
    "uniform": lambda lib: lib.random_uniform_initializer(-2.0, 3.0, seed=5),
    "uniform default": lambda lib: lib.random_uniform_initializer(0, 1, seed=5),
    "normal": lambda lib: lib.random_normal_initializer(1.0, 2.0, seed=5),
    "truncated": lambda lib: lib.truncated_normal_initializer(1.0, 2.0, seed=5),
    "unit scaling": lambda lib: lib.uniform_unit_scaling_initializer(1.5, seed=5),
    "variance in": lambda lib: lib.variance_scaling_initializer(2.0, seed=5),
    "variance out": lambda lib: lib.variance_scaling_initializer(mode="fan_out", seed=5),
    "variance uniform": lambda lib: lib.variance_scaling_initializer(
        mode="fan_avg", distribution="uniform", seed=5
    ),
    "variance untruncated": lambda lib: lib.variance_scaling_initializer(
        distribution="untruncated_normal", seed=5
    ),
    "variance normal": lambda lib: lib.variance_scaling_initializer(distribution="Normal", seed=5),
    "glorot uniform": lambda lib: lib.glorot_uniform_initializer(seed=5),
    "glorot normal": lambda lib: lib.glorot_normal_initializer(seed=5),
    "orthogonal": lambda lib: lib.orthogonal_initializer(0.5, seed=5),
    "identity": lambda lib: lib.initializers.identity(gain=2.0),
    "he normal": lambda lib: lib.initializers.he_normal(seed=5),
    "he uniform": lambda lib: lib.initializers.he_uniform(seed=5),
    "lecun normal": lambda lib: lib.initializers.lecun_normal(seed=5),
    "lecun uniform": lambda lib: lib.initializers.lecun_uniform(seed=5),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())
def test_same_graph_and_values(make: Callable[[Any], Any]) -> None:
    def program(lib: Any) -> Any:
        initializer = make(lib)
        shapes = [[3, 4], [4, 3]]
        fan = "scaling" in str(type(initializer)).lower() or hasattr(initializer, "mode")
        if fan:
            shapes += [[2, 2, 3, 4], [5], []]
        return [initializer(shape) for shape in shapes]

    assert_same_graph(program)


@pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())
def test_config_makes_it_again(make: Callable[[Any], Any]) -> None:
    def described(config: dict[str, Any]) -> dict[str, str]:
        return {key: repr(value) for key, value in config.items()}

    ours, theirs = make(tf), make(oracle)
    assert described(ours.get_config()) == described(theirs.get_config())
    again = type(ours).from_config(ours.get_config())
    assert described(again.get_config()) == described(ours.get_config())


def test_variables_by_initializer() -> None:
    def program(lib: Any) -> Any:
        with lib.variable_scope("net", initializer=lib.truncated_normal_initializer(seed=3)):
            a = lib.get_variable("a", [3, 4], lib.float64)
            b = lib.get_variable("b", [4], initializer=lib.zeros_initializer())
            c = lib.get_variable("c", [2, 2], initializer=lib.orthogonal_initializer(seed=3))
        return [a.value(), b.value(), c.value()]

    assert_same_graph(program)


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_a_variable(axis: int) -> None:
    def program(lib: Any) -> Any:
        names = ("identity", "variance_scaling", "uniform_unit_scaling", "ones")
        parts = []
        for name in names:
            kind = getattr(lib.initializers, name)
            seed = {} if name in ("identity", "ones") else {"seed": 4}
            with lib.variable_scope(name, partitioner=lib.fixed_size_partitioner(2, axis=axis)):
                parts += list(lib.get_variable("w", [4, 6], initializer=kind(**seed)))
        return [part.value() for part in parts]

    assert_same_graph(program)


REFUSED: dict[str, Program] = {
    "constant": lambda lib: lib.constant_initializer({}),
    "constant shape": lambda lib: lib.constant_initializer([1.0, 2.0], verify_shape=True)([3]),
    "too many": lambda lib: lib.constant_initializer([1.0, 2.0, 3.0])([2]),
    "scale": lambda lib: lib.variance_scaling_initializer(scale=-1.0),
    "mode": lambda lib: lib.variance_scaling_initializer(mode="fan"),
    "distribution": lambda lib: lib.variance_scaling_initializer(distribution="gamma"),
    "dtype": lambda lib: lib.random_normal_initializer(dtype=lib.int32),
    "vector": lambda lib: lib.orthogonal_initializer()([3]),
    "cube": lambda lib: lib.initializers.identity()([3, 3, 3]),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_same_refusal(program: Program) -> None:
    assert_same_refusal(program)


def test_integers_have_a_least_one() -> None:
    """TensorFlow 1's default was 0, of every type; later it is 0.0, which is no integer."""
    made: dict[str, Any] = {}
    for name, lib in (("ours", tf), ("theirs", oracle)):
        with lib.Graph().as_default(), lib.Session() as session:
            least = {} if lib is tf else {"minval": 0}
            drawn = lib.random_uniform_initializer(maxval=9, dtype=lib.int32, seed=5, **least)
            made[name] = session.run(drawn([50]))
    np.testing.assert_array_equal(made["ours"], made["theirs"])
    assert made["ours"].dtype == np.int32
