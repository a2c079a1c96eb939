"""Runs of nodes in a cluster: numpy's bits, whatever the nodes are and whatever the values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.large import code as fused_code
from dataflow.actors.fusion.large import writer as fused_writer
from dataflow.actors.fusion.large.chains import Chain
from dataflow.actors.fusion.large.shapes import BLOCK, LARGEST
from tests.actors.fusion.merged import RUNS, session_config
from tests.kernels.onednn_paths import switched_off

ROWS, LENGTH = 500, 400
random = np.random.default_rng(3)


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> list[Chain]:
    """The chains that clusters are written with."""
    found: list[Chain] = []
    in_chains = fused_writer.in_chains

    def note(*arguments: Any) -> Any:
        units = in_chains(*arguments)
        found.extend(unit for unit in units if isinstance(unit, Chain))
        return units

    monkeypatch.setattr(fused_writer, "in_chains", note)
    return found


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each call of a run whether it did nothing."""
    found: list[bool] = []

    class Watched(fused_writer.Chained):
        def __call__(self, *arguments: Any) -> bool:
            done = super().__call__(*arguments)
            found.append(not done)
            return done

    monkeypatch.setattr(fused_writer, "Chained", Watched)
    return found


def results(build: Callable[..., Any], *values: Any, merges: bool = True) -> Any:
    """What the last of some steps gives."""
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32, value.shape) for value in values]
        fetches = build(*inputs)
        with tf.Session(config=session_config(merges)) as session:
            for _ in range(RUNS):
                found = session.run(fetches, dict(zip(inputs, values, strict=True)))
            return found


def assert_same_bits(build: Callable[..., Any], *values: Any) -> None:
    expected = results(build, *values, merges=False)
    np.testing.assert_array_equal(results(build, *values), expected)


X = random.normal(size=(ROWS, LENGTH)).astype("f")
Y = random.normal(size=(ROWS, LENGTH)).astype("f")

STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "add to": lambda x, y: y + x,
    "subtract": lambda x, y: x - y,
    "subtract from": lambda x, y: y - x,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "maximum": tf.maximum,
    "minimum": tf.minimum,
    "squared difference": tf.math.squared_difference,
    "squared difference of": lambda x, y: tf.math.squared_difference(y, x),
    "negative": lambda x, y: -x,
    "absolute": lambda x, y: tf.abs(x),
    "square": lambda x, y: tf.square(x),
    "itself": lambda x, y: x * x,
    "sqrt": lambda x, y: tf.sqrt(x),
    "rsqrt": lambda x, y: tf.math.rsqrt(x),
    "reciprocal": lambda x, y: tf.math.reciprocal(x),
    "relu": lambda x, y: tf.nn.relu(x),
    "relu6": lambda x, y: tf.nn.relu6(x),
    "gradient of tanh": lambda x, y: tf.raw_ops.TanhGrad(y=x, dy=y),
    "number from": lambda x, y: 0.75 - x,
    "maximum of number": lambda x, y: tf.maximum(0.25, x),
}


@pytest.mark.parametrize("name", STEPS)
def test_each_step_first_and_last(name: str, chains: list[Chain], failures: list[bool]) -> None:
    step = STEPS[name]
    assert_same_bits(lambda x, y: step(tf.abs(x) + 0.5, y), X, Y)
    assert_same_bits(lambda x, y: step(x, y) * 1.5 + 0.5, np.abs(X), Y)
    assert [len({node.name for node in chain.nodes}) for chain in chains] == [3, 3]
    assert failures
    assert not any(failures)


def test_threads_take_whole_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter ones would need code of their own, or calls so short that threads wait for a lock."""
    shapes: list[tuple[int, ...]] = []

    class Watched(fused_writer.Chained):
        def __call__(self, out: Any, *others: Any) -> bool:
            shapes.append(out.shape)
            return super().__call__(out, *others)

    def split(count: int, _grain: int, run: Callable[[int, int], None]) -> None:
        for piece in range(count):
            run(piece, piece + 1)

    monkeypatch.setattr(fused_writer, "Chained", Watched)
    monkeypatch.setattr(fused_code, "split", split)
    x = random.normal(size=(2 * (LARGEST // LENGTH) + 7, LENGTH)).astype("f")
    row = random.normal(size=LENGTH).astype("f")
    assert_same_bits(lambda x, y: (x + y) * 0.5 - y, x, row)
    rows = shapes[0][0]
    whole, rest = divmod(len(x), rows)
    assert rows >= BLOCK // LENGTH and whole > 1
    assert shapes[: whole + 1] == [(rows, LENGTH)] * whole + [(rest, LENGTH)]


def test_all_in_one(chains: list[Chain], failures: list[bool]) -> None:
    def build(x: Any, y: Any) -> Any:
        for step in STEPS.values():
            x = step(x, y) * 0.5
        return x

    assert_same_bits(build, np.abs(X) + 1, np.abs(Y) + 1)
    assert len(chains) == 2
    assert not any(failures)


@pytest.mark.parametrize("shape", [(LENGTH,), (ROWS, 1), (1, LENGTH), ()])
def test_operands_that_are_repeated(
    shape: tuple[int, ...], chains: list[Chain], failures: list[bool]
) -> None:
    operand = np.resize(Y, shape)
    assert_same_bits(lambda x, other: tf.maximum((x - other) * 2.0, other), X, operand)
    (chain,) = chains
    assert len(chain.nodes) == 3
    assert not any(failures)


def test_a_row_and_a_column(chains: list[Chain], failures: list[bool]) -> None:
    row, column = Y[:LENGTH, 0], Y[:, :1]
    assert_same_bits(lambda x, r, c: ((x - c) * 2.0 / (r * r + 1.0) + r) * c - 1.0, X, row, column)
    assert [len(chain.nodes) for chain in chains] == [2, 2, 2]
    assert not any(failures)


def test_columns_of_short_rows_are_left_to_numpy(chains: list[Chain]) -> None:
    x, column = X.reshape(-1, 10), Y.reshape(-1, 10)[:, :1]
    assert_same_bits(lambda x, c: (x - c) / c, x, column)
    assert not chains


def test_what_two_read_is_computed_once(chains: list[Chain]) -> None:
    def build(x: Any, y: Any) -> Any:
        shared = x * y + 0.5
        return (shared * 2.0 - y) * (tf.square(shared) + 1.0), shared

    expected = results(build, X, Y, merges=False)
    for left, right in zip(results(build, X, Y), expected, strict=True):
        np.testing.assert_array_equal(left, right)
    assert sorted(len(chain.nodes) for chain in chains) == [2, 2, 3]


def test_what_two_read_and_nobody_fetches(chains: list[Chain]) -> None:
    def build(x: Any, y: Any) -> Any:
        shared = x * y + 0.5
        return (shared * 2.0 - y) * (tf.square(shared) + 1.0)

    assert_same_bits(build, X, Y)
    assert sorted(len(chain.nodes) for chain in chains) == [2, 2, 3]


@pytest.mark.parametrize(
    "op",
    [
        tf.maximum,
        tf.add,
        tf.subtract,
        tf.divide,
        tf.math.squared_difference,
        lambda a, b: tf.raw_ops.TanhGrad(y=a, dy=b),
    ],
)
def test_both_operands_are_the_node_before(
    op: Callable[..., Any], chains: list[Chain], failures: list[bool]
) -> None:
    def build(x: Any, y: Any) -> Any:
        made = x * y + 0.5
        return op(made, made) * 2.0

    assert_same_bits(build, X, Y)
    assert chains
    assert not any(failures)


def test_other_nodes_between(chains: list[Chain]) -> None:
    assert_same_bits(lambda x, y: tf.exp(x * y + 0.5) * y - tf.tanh(x * 0.5 - y), X, Y)
    assert [len(chain.nodes) for chain in chains] == [2, 2, 2]


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_a_nan_before_an_extreme(bad: float, chains: list[Chain], failures: list[bool]) -> None:
    """It is in the input, or made on the way; in steps that come before and after good ones."""

    def build(x: Any, y: Any) -> Any:
        return tf.maximum(tf.cumsum(tf.sqrt(x)) * 2.0 + y, 0.25) * 0.5

    good, x = np.abs(X), np.abs(X)
    x[17, 33] = bad
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32, [ROWS, LENGTH]) for _ in range(2)]
        fetch = build(*inputs)
        with tf.Session(config=session_config(True)) as session:
            for step in range(4 * RUNS):
                value = x if step % 3 else good
                with np.errstate(invalid="ignore"):
                    sums = np.cumsum(np.sqrt(value), axis=0, dtype=np.float32)
                expected = np.maximum(sums * np.float32(2) + Y, np.float32(0.25)) * np.float32(0.5)
                found = session.run(fetch, dict(zip(inputs, (value, Y), strict=True)))
                np.testing.assert_array_equal(found, expected)
    assert chains
    assert any(failures)
    assert not all(failures)


def test_other_types_are_left_to_numpy(chains: list[Chain]) -> None:
    def build(x: Any) -> Any:
        wide = tf.cast(x, tf.float64)
        return tf.cast((wide * 2.0 + 1.0) * wide, tf.float32)

    assert_same_bits(build, X)
    assert not chains


@pytest.fixture
def without() -> Iterator[None]:
    with switched_off():
        yield


def test_without_onednn(without: None, chains: list[Chain], failures: list[bool]) -> None:
    assert_same_bits(lambda x, y: tf.nn.relu6(tf.maximum(x - y, 0.5) / 0.25) + y, X, Y)
    assert chains
    assert all(failures)


def test_one_by_one_the_source_may_be_an_operand(without: None, chains: list[Chain]) -> None:
    def build(x: Any) -> Any:
        power = tf.exp(x)
        return tf.tanh(power * 2.0 - power)

    assert_same_bits(build, X)
    assert chains


def test_a_nan_where_the_source_is_an_operand(chains: list[Chain], failures: list[bool]) -> None:
    def build(x: Any) -> Any:
        power = tf.exp(x)
        return tf.tanh(tf.maximum(power * 2.0, 0.5) - power)

    x = X.copy()
    x[3, 3] = np.nan
    assert_same_bits(build, x)
    assert chains
    assert any(failures)


def test_one_by_one_an_operand_is_not_written_over(without: None, chains: list[Chain]) -> None:
    """Nobody else holds the operand; the source is fetched."""

    def build(x: Any, y: Any) -> Any:
        unit = np.eye(LENGTH, dtype=np.float32)
        source, operand = tf.matmul(x, unit), tf.matmul(y, unit)
        return source, (source * 2.0 - operand) * 0.5

    expected = results(build, X, Y, merges=False)
    for left, right in zip(results(build, X, Y), expected, strict=True):
        np.testing.assert_array_equal(left, right)
    assert chains


@pytest.mark.parametrize("has_nan", [True, False], ids=["NaN", "without oneDNN"])
def test_nodes_one_by_one_where_a_square_is_first(has_nan: bool, failures: list[bool]) -> None:
    """The node reads its one input twice."""
    values = X.copy()
    if has_nan:
        values[3, 5] = np.nan
    with nullcontext() if has_nan else switched_off():
        assert_same_bits(lambda x: tf.maximum(x * x, 0.5) + 1, values)
    assert any(failures)
