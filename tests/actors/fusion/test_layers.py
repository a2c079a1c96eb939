"""Convolutions with what follows them: values of the nodes one by one, filters converted once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.pairs.layers import LayerNode
from dataflow.kernels.convolution.kept import Bound, Kept
from dataflow.kernels.convolution.plans import CompiledConvolution
from tests.actors.fusion.merged import RUNS, session_config, watch
from tests.kernels.onednn_paths import switched_off


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[LayerNode]:
    """The layers that are made while a test runs."""
    return watch(monkeypatch, "merge_layers", LayerNode)


def _floats(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.2, shape).astype(np.float32)


def _convolved(
    x: Any, stride: int = 1, width: int = 24, padding: str = "SAME", hold: Any = tf.constant
) -> Any:
    y = tf.nn.conv2d(x, hold(_floats(1, 3, 3, 16, width)), stride, padding)
    return tf.nn.bias_add(y, hold(_floats(2, width)))


def _deep(x: Any, multiplier: int = 1) -> Any:
    y = tf.nn.depthwise_conv2d(x, tf.constant(_floats(1, 3, 3, 16, multiplier)), [1] * 4, "SAME")
    return y + tf.constant(_floats(2, 16 * multiplier))


_AROUND = [[0, 0], [1, 1], [1, 1], [0, 0]]


def _bordered(x: Any, sizes: Any) -> Any:
    return _convolved(tf.pad(x, [[0, 0], *sizes, [0, 0]]), 2, padding="VALID")


def _residual(x: Any) -> Any:
    return _convolved(x, width=16) + x


def _swish(y: Any) -> Any:
    return y * tf.sigmoid(y)


PROGRAMS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "bias": (_convolved, ("BiasAdd",)),
    "relu": (lambda x: tf.nn.relu(_convolved(x)), ("Relu",)),
    "relu6": (lambda x: tf.nn.relu6(_convolved(x * 9)), ("Relu6",)),
    "strided, elu": (lambda x: tf.nn.elu(_convolved(x, 2)), ("Elu",)),
    "narrow, tanh": (lambda x: tf.tanh(_convolved(x, 1, 3, "VALID")), ("Tanh",)),
    "one filter, sigmoid": (lambda x: tf.sigmoid(_convolved(x, 1, 1)), ("Sigmoid",)),
    "swish": (lambda x: _swish(_convolved(x)), ("Mul",)),
    "residual": (_residual, ("AddV2",)),
    "residual, relu": (lambda x: tf.nn.relu(_residual(x)), ("Relu",)),
    "residual, swish": (lambda x: _swish(_residual(x)), ("Mul",)),
    "residual from the left": (lambda x: tf.nn.relu(x + _convolved(x, width=16)), ("Relu",)),
    "depthwise, relu6": (lambda x: tf.nn.relu6(_deep(x)), ("Relu6",)),
    "depthwise twice as wide": (lambda x: tf.nn.relu(_deep(x, 2)), ("Relu",)),
    "variables": (lambda x: tf.nn.relu(_convolved(x, hold=tf.Variable)), ("Relu",)),
    "two convolutions are added": (
        lambda x: tf.nn.relu(
            tf.nn.conv2d(x, tf.constant(_floats(1, 3, 3, 16, 8)), 1, "SAME")
            + tf.nn.conv2d(x, tf.constant(_floats(2, 1, 1, 16, 8)), 1, "SAME")
        ),
        ("Relu", "Conv2D"),
    ),
    "a row for each place is added": (
        lambda x: tf.nn.relu(
            tf.nn.conv2d(x, tf.constant(_floats(1, 3, 3, 16, 16)), 1, "SAME")
            + tf.constant(_floats(2, 8, 8, 16))
        ),
        ("Relu",),
    ),
    "bordered, relu": (lambda x: tf.nn.relu(_bordered(x, [[1, 2], [3, 0]])), ("Relu",)),
    "bordered and nothing else": (
        lambda x: tf.nn.conv2d(
            tf.pad(x, [[0, 0], [2, 0], [0, 1], [0, 0]]), _floats(1, 3, 3, 16, 8), 1, "SAME"
        ),
        ("Conv2D",),
    ),
    "bordered, depthwise": (lambda x: _deep(tf.pad(x, _AROUND)), ("AddV2",)),
    "images and channels are added": (
        lambda x: _convolved(tf.pad(x[..., :12], [[1, 0], [1, 1], [1, 1], [0, 4]])),
        ("BiasAdd",),
    ),
    "the border is read twice": (
        lambda x: (lambda y: _convolved(y, width=16) + y)(tf.pad(x, _AROUND)),
        ("AddV2",),
    ),
    "something else follows": (lambda x: tf.nn.leaky_relu(_convolved(x)), ("BiasAdd",)),
    "the sum is read twice": (
        lambda x: (lambda y: tf.nn.relu(y) + tf.reverse(y, [1]))(_convolved(x)),
        ("BiasAdd",),
    ),
}


def _run(
    program: Callable[[Any], Any], merges: bool, sizes: tuple[int, ...], train: bool = False
) -> list[list[np.ndarray]]:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        y = program(x)
        fetches = [y, *tf.gradients(y * y, [x, *tf.trainable_variables()])] if train else [y]
        with tf.Session(config=session_config(merges)) as session:
            session.run(tf.global_variables_initializer())
            return [
                session.run(fetches, {x: _floats(n + i, n, 8, 8, 16)}) for i, n in enumerate(sizes)
            ]


def _assert_close(actual: list[list[np.ndarray]], expected: list[list[np.ndarray]]) -> None:
    for want, have in zip(expected, actual, strict=True):
        for left, right in zip(want, have, strict=True):
            assert left.dtype == right.dtype and left.shape == right.shape
            scale = max(1e-3, float(np.abs(left).max(initial=0)))
            np.testing.assert_allclose(right, left, rtol=1e-4, atol=2e-5 * scale)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_the_nodes(name: str, made: list[LayerNode]) -> None:
    program, ends = PROGRAMS[name]
    sizes = (5, 5, 1, 33, 2, 0, 5)
    expected = _run(program, False, sizes)
    assert not made
    actual = _run(program, True, sizes)
    assert {node.op for node in made} == set(ends)
    _assert_close(actual, expected)
    with switched_off():
        _assert_close(_run(program, True, sizes), expected)


@pytest.mark.parametrize("name", ["relu", "residual, swish", "variables"])
def test_training(name: str) -> None:
    program, _ = PROGRAMS[name]
    _assert_close(_run(program, True, (5, 2, 5), True), _run(program, False, (5, 2, 5), True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_run_has_the_bits_of_the_first(name: str) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        y = PROGRAMS[name][0](x)
        session.run(tf.global_variables_initializer())
        feed = {x: _floats(0, 7, 8, 8, 16)}
        first, *others = [session.run(y, feed) for _ in range(8)]
        for other in others:
            np.testing.assert_array_equal(other, first)


def _conversions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The filters that are converted to a layout of oneDNN's, from now on."""
    seen: list[Any] = []
    convert = CompiledConvolution.converted

    def note(plan: CompiledConvolution, filters: Any, role: str | None) -> Any:
        seen.append(filters)
        return convert(plan, filters, role)

    monkeypatch.setattr(CompiledConvolution, "converted", note)
    return seen


def test_constant_filters_are_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        y = tf.nn.relu(_convolved(x))
        run = session.make_callable(y, [x])
        for _ in range(30):
            run(_floats(0, 4, 8, 8, 16))
        seen = _conversions(monkeypatch)
        for i in range(10):
            run(_floats(i, 4, 8, 8, 16))
        assert not seen


def test_filters_of_variables_are_converted_after_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [4, 8, 8, 16])
        filters = tf.Variable(_floats(1, 3, 3, 16, 24))
        y = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME") + tf.constant(_floats(2, 24)))
        session.run(tf.global_variables_initializer())
        update, run = filters.assign_add(filters * 0.5), session.make_callable(y, [x])
        images = _floats(0, 4, 8, 8, 16)
        for round_ in range(3):
            for _ in range(30):
                before = run(images)
            seen = _conversions(monkeypatch)
            for _ in range(5):
                run(images)
            assert not seen, round_
            session.run(update.op)
            after = run(images)
            assert np.abs(after - before).max() > 0.01
            want = session.run(tf.nn.conv2d(images, filters, 1, "SAME")) + _floats(2, 24)
            np.testing.assert_allclose(after, np.maximum(want, 0), rtol=1e-4, atol=1e-4)


def test_a_gate_that_is_fetched_is_computed() -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        y = _convolved(x)
        gate = tf.sigmoid(y)
        fetches = [y * gate, gate]
        for _ in range(RUNS):
            product, found = session.run(fetches, {x: _floats(0, 2, 8, 8, 16)})
        plain = session.run(y, {x: _floats(0, 2, 8, 8, 16)})
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-plain)), rtol=1e-5)
    np.testing.assert_allclose(product, plain * found, rtol=1e-4, atol=1e-6)


def test_a_sum_in_a_branch_is_taken_with_the_branch(made: list[LayerNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x, bias = tf.placeholder(tf.float32, [None, 8, 8, 16]), tf.placeholder(tf.float32)
        y = tf.nn.conv2d(x, tf.constant(_floats(1, 3, 3, 16, 8)), 1, "SAME")
        wanted = tf.placeholder(tf.bool, [])
        z = tf.cond(wanted, lambda: tf.nn.bias_add(y, bias), lambda: tf.constant(5.0))
        feed = {x: _floats(0, 2, 8, 8, 16), bias: _floats(2, 8)}
        for _ in range(RUNS):
            taken = session.run(z, {**feed, wanted: True})
            # The sum would fail.
            other = session.run(z, {**feed, bias: _floats(2, 7), wanted: False})
        plain = session.run(y, feed)
    np.testing.assert_allclose(taken, plain + _floats(2, 8), rtol=1e-5, atol=1e-6)
    assert other == 5.0
    assert all(len(node.nodes) == 1 for node in made)


def test_filters_that_a_function_returns_may_change_in_place() -> None:
    own = _floats(1, 3, 3, 16, 24)
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [4, 8, 8, 16])
        filters = tf.py_func(lambda: own, [], tf.float32)
        filters.set_shape(own.shape)
        y = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME") + tf.constant(_floats(2, 24)))
        run, images = session.make_callable(y, [x]), _floats(0, 4, 8, 8, 16)
        for _ in range(20):
            first = run(images)
            own *= 2
            assert np.abs(run(images) - first).max() > 0.01
            own /= 2


def test_fed_filters_may_change_in_place() -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x, filters = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME") + tf.constant(_floats(2, 24)))
        images, own = _floats(0, 4, 8, 8, 16), _floats(1, 3, 3, 16, 24)
        for _ in range(8):
            first = session.run(y, {x: images, filters: own})
            own *= 2
            second = session.run(y, {x: images, filters: own})
            assert np.abs(first - second).max() > 0.01
            own /= 2


def test_layouts_count_against_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    config = session_config(True)
    config.graph_options.optimizer_options.max_folded_constant_in_bytes = 1
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [4, 8, 8, 16])
        run = session.make_callable(tf.nn.relu(_convolved(x)), [x])
        images = _floats(0, 4, 8, 8, 16)
        first = run(images)
        seen = _conversions(monkeypatch)
        np.testing.assert_array_equal(run(images), first)
        assert seen


class _Plan:
    """What `Kept` asks of a plan, with layouts of 10 bytes."""

    filter_bytes = 10

    def __init__(self, layout: str) -> None:
        self._layout = layout

    def agrees_with(self, other: _Plan) -> bool:
        return self._layout == other._layout

    def converted(self, filters: Any, role: str | None) -> Any:
        return [self._layout, filters]


def test_what_is_kept() -> None:
    bound = Bound(20)
    kept = Kept(bound, constant=True)
    one, same, two, three = (_Plan(layout) for layout in "AABC")
    filters: Any = np.ones(3)
    first = kept.find(one, filters)
    assert first == ["A", filters] and kept.find(same, filters) is first
    assert kept.find(two, filters) is not None and kept.find(three, filters) is None
    assert not bound.take(1)
    other: Any = np.zeros(3)
    assert kept.find(one, other) == ["A", other]
    assert bound.take(10) and not bound.take(1)


def test_a_variable_that_changes_is_held_ever_less_often() -> None:
    kept = Kept(Bound(1000), constant=False)
    plan: Any = _Plan("A")
    waits = []
    for _ in range(3):
        filters: Any = np.ones(3)
        waits.append(next(i for i in range(1000) if kept.find(plan, filters) is not None))
    assert waits[0] < waits[1] < waits[2] < 100


def test_nan_and_infinity() -> None:
    """As TensorFlow's own fused layers: Relu and Relu6 behind a bias make 0 of a NaN."""
    for name in ("bias", "narrow, tanh", "residual", "residual, relu", "swish"):
        with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
            x = tf.placeholder(tf.float32, [None, 8, 8, 16])
            y = PROGRAMS[name][0](x)
            for _ in range(3):
                assert np.isnan(session.run(y, {x: np.full((2, 8, 8, 16), np.nan)})).all(), name
    for fill in (np.inf, -np.inf, np.nan):
        with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
            x = tf.placeholder(tf.float32, [None, 8, 8, 16])
            y = tf.nn.relu(tf.nn.conv2d(x, tf.ones([1, 1, 16, 8]), 1, "SAME") + tf.ones([8]))
            found = session.run(y, {x: np.full((2, 8, 8, 16), fill)})
            np.testing.assert_array_equal(found, np.full(found.shape, np.inf if fill > 0 else 0.0))


def test_what_others_wait_for_runs_by_itself(made: list[LayerNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        filters, bias = tf.Variable(_floats(1, 3, 3, 16, 8)), tf.Variable(_floats(2, 8))
        y = tf.nn.conv2d(x, filters, 1, "SAME")
        with tf.control_dependencies([y]):
            changed = tf.assign(bias, bias * 0.0)
        with tf.control_dependencies([changed]):
            z = tf.nn.bias_add(y, bias.read_value())
        session.run(tf.global_variables_initializer())
        images = _floats(0, 2, 8, 8, 16)
        found, plain = session.run([z, y], {x: images})
        np.testing.assert_array_equal(found, plain)
    assert all(len(node.nodes) == 1 for node in made)


def test_an_error_names_its_node(made: list[LayerNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32)
        bias = tf.placeholder(tf.float32, name="bias")
        filters = tf.constant(_floats(1, 3, 3, 16, 8), name="filters")
        y = tf.nn.conv2d(x, filters, 1, "SAME", name="images")
        y = tf.nn.relu(tf.nn.bias_add(y, bias, name="sum"), name="end")
        feed = {x: _floats(0, 24, 8, 8, 16), bias: _floats(2, 8)}
        for _ in range(RUNS):
            session.run(y, feed)
        assert {node.op for node in made} == {"Relu"}
        with pytest.raises(tf.errors.InvalidArgumentError) as e:
            session.run(y, {**feed, bias: _floats(2, 7)})
        assert e.value.op.name == "sum" and "as many biases as the last" in e.value.message
        with pytest.raises(tf.errors.InvalidArgumentError) as e:
            session.run(y, {**feed, x: _floats(0, 24, 8, 8, 15)})
        assert e.value.op.name == "images" and "evenly divisible by fil" in e.value.message
        session.run(y, feed)


@pytest.mark.parametrize(
    ("name", "is_padding"),
    [
        ("bordered, relu", True),
        ("bordered and nothing else", True),
        ("bordered, depthwise", True),
        ("images and channels are added", False),
        ("the border is read twice", False),
    ],
)
def test_a_border_is_padding(name: str, is_padding: bool, made: list[LayerNode]) -> None:
    _run(PROGRAMS[name][0], True, (2,))
    assert [node.nodes[0].op == "Pad" for node in made] == [is_padding]


def test_a_border_that_leaves_no_place_for_a_window(made: list[LayerNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None, None, 2])
        y = tf.nn.conv2d(tf.pad(x, _AROUND), _floats(1, 5, 5, 2, 3), 1, "VALID", name="narrow")
        for size in (4, 3, 2):
            found = session.run(y, {x: _floats(2, 1, size, 3, 2)})
            assert found.shape == (1, size - 2, 1, 3)
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            session.run(y, {x: _floats(2, 1, 1, 3, 2)})
        assert error.value.op.name == "narrow"
        assert len(made) == 1
