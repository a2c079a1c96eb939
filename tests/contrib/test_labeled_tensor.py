"""tf.contrib.labeled_tensor against numpy, with the axes and errors that 1.15 has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

lt = tf.contrib.labeled_tensor
VALUES = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
COLORS = ("red", "green", "blue")


def computed(value: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(value, feed)


def check(found: Any, values: Any, axes: dict[str, Any]) -> None:
    wanted = [each if isinstance(each, lt.Axis) else (name, each) for name, each in axes.items()]
    assert found.axes == lt.Axes(wanted)
    np.testing.assert_allclose(computed(found), values, rtol=1e-5)


def labeled(values: Any, *axes: Any) -> Any:
    return lt.LabeledTensor(tf.constant(values), list(axes))


@pytest.fixture
def colored() -> Any:
    return labeled(VALUES, "x", ("color", COLORS), ("z", range(4)))


def test_axes() -> None:
    axis = lt.Axis("color", list(COLORS))
    assert (axis.size, len(axis), axis.value, axis.index("green")) == (3, 3, COLORS, 1)
    assert repr(axis) == "Axis('color', ('red', 'green', 'blue'))"
    assert axis == lt.as_axis(("color", COLORS)) != lt.Axis("color", 3)
    assert len({axis, lt.Axis("color", COLORS)}) == 1
    assert lt.Axis("a", 0).labels == ()
    assert repr(lt.Axis("a", None)) == "Axis('a', Dimension(None))"
    axes = lt.Axes([("a", 1), axis])
    assert repr(axes) == ("Axes([('a', Dimension(1)),\n      ('color', ('red', 'green', 'blue'))])")
    assert list(axes.remove("a")) == ["color"]
    with pytest.raises(KeyError):
        axes.remove("b")
    with pytest.raises(ValueError, match="Duplicate axis name: a"):
        lt.Axes([("a", 1), ("a", 2)])
    with pytest.raises(ValueError, match="Tick labels must be unique"):
        lt.Axis("a", ["b", "b"])
    with pytest.raises(ValueError, match="does not have tick labels"):
        lt.Axis("a", 3).index(1)
    with pytest.raises(ValueError, match="axis 'a' has unknown length"):
        len(lt.Axis("a", None))
    with pytest.raises(TypeError):
        lt.Axis(3, 3)


def test_what_a_tensor_is_made_of(colored: Any) -> None:
    assert colored.dtype == tf.float32
    assert colored.get_shape().as_list() == [2, 3, 4]
    assert repr(labeled([1.0, 2.0], ("a", 2))).endswith(
        "shape=(2,) dtype=float32\n axes=[('a', Dimension(2))]>"
    )
    np.testing.assert_array_equal(computed(tf.add(colored, 1)), VALUES + 1)
    with pytest.raises(ValueError, match="rank was not equal to the number of axes"):
        labeled(VALUES, "x")
    with pytest.raises(ValueError, match="axis size 7 does not match tensor dimension size 4"):
        labeled(VALUES, "x", "y", ("z", 7))
    check(lt.convert_to_labeled_tensor(3.0), 3.0, {})
    with pytest.raises(ValueError, match="cannot automatically convert unlabeled"):
        lt.convert_to_labeled_tensor([1, 2])


def test_places_and_labels(colored: Any) -> None:
    check(colored[0, :, 1:3], VALUES[0, :, 1:3], {"color": COLORS, "z": (1, 2)})
    check(lt.slice(colored, {"x": slice(1)}), VALUES[:1], {**colored.axes, "x": 1})
    with pytest.raises(ValueError, match="same length as the Tensor rank"):
        colored[0]
    check(lt.select(colored, {"color": "green"}), VALUES[:, 1], {"x": 2, "z": range(4)})
    found = lt.select(colored, {"color": slice("red", "green"), "z": 3})
    check(found, VALUES[:, :2, 3], {"x": 2, "color": COLORS[:2]})
    found = lt.select(colored, {"color": ["blue", "red"]})
    check(found, VALUES[:, [2, 0]], {"x": 2, "color": ["blue", "red"], "z": range(4)})
    for selection, error, text in (
        ({"q": 1}, ValueError, "does not have an axis named q"),
        ({"x": 1}, ValueError, "does not have labels"),
        ({"color": "black"}, KeyError, "black"),
        ({"color": ["red"], "z": [1]}, NotImplementedError, "more than one list selection"),
        ({"color": ["red"], "z": 1}, NotImplementedError, "combined scalar and list"),
        ({"z": slice(0, 3, 2)}, NotImplementedError, "with a step"),
        ({"z": {}}, TypeError, "arbitrary types"),
    ):
        with pytest.raises(error, match=text):
            lt.select(colored, selection)
    mask = labeled([True, False], "x")
    found = lt.boolean_mask(colored, mask)
    assert found.axes["x"].size is None
    np.testing.assert_array_equal(computed(found), VALUES[:1])
    with pytest.raises(ValueError, match="are not equal"):
        lt.boolean_mask(lt.select(colored, {"z": 1})[0, :], mask)
    with pytest.raises(NotImplementedError, match="only supports 1D masks"):
        lt.boolean_mask(colored, colored)


def test_orders_of_axes(colored: Any) -> None:
    check(lt.transpose(colored), VALUES.T, {"z": range(4), "color": COLORS, "x": 2})
    check(
        lt.impose_axis_order(colored, ["z", "q", "x", "color"]),
        VALUES.transpose(2, 0, 1),
        {"z": range(4), "x": 2, "color": COLORS},
    )
    with lt.axis_order_scope(["color", "z", "x"]):
        imposed = lt.impose_axis_order(colored)
        assert list(imposed.axes) == ["color", "z", "x"]
        lt.check_axis_order(imposed)
        with pytest.raises(lt.AxisOrderError, match="in the same order as the required"):
            lt.check_axis_order(colored)
    with pytest.raises(lt.AxisOrderError, match="an explicit axis order must be provided"):
        lt.check_axis_order(colored)
    with pytest.raises(lt.AxisOrderError, match="not all axis names appear"):
        lt.check_axis_order(colored, ["x"])
    with pytest.raises(ValueError, match="must have the same names"):
        lt.transpose(colored, ["x", "z"])
    check(
        lt.expand_dims(labeled([1.0, 2.0], "a"), [("b", "one"), "a", "c"]),
        [[[1.0], [2.0]]],
        {"b": ["one"], "a": 2, "c": 1},
    )


def test_operators_align_axes(colored: Any) -> None:
    ones = labeled([1.0, 2.0, 3.0], ("color", COLORS))
    check(colored * ones, VALUES * np.array([[1], [2], [3]]), dict(colored.axes))
    check(1.0 - ones, [0.0, -1.0, -2.0], {"color": COLORS})
    check(abs(-ones) ** 2.0 / 2.0 % 2.0, [0.5, 0.0, 0.5], {"color": COLORS})
    assert computed(~(ones > 1.0) | (ones <= 1.0)).tolist() == [True, False, False]
    first = labeled(np.ones([2, 3]), "a", "b")
    found = first + labeled(np.ones([4, 3, 5]), "c", "b", "d")
    check(found, np.full([2, 4, 3, 5], 2.0), {"a": 2, "c": 4, "b": 3, "d": 5})
    with pytest.raises(lt.AxisOrderError, match="No consistent axis order"):
        lt.align(colored, lt.transpose(colored))
    with pytest.raises(ValueError, match="Mismatched 'color' axis"):
        lt.align(colored, labeled([1.0, 2.0], "color"))
    with lt.axis_order_scope(["b", "a"]):
        found = labeled([1.0, 2.0], "a") - labeled([3.0], "b")
        check(found, [[-2.0, -1.0]], {"b": 1, "a": 2})
    assert (ones == ones, ones == 3, len({ones, ones})) == (True, False, 1)
    check(lt.sigmoid(ones), 1 / (1 + np.exp(-np.arange(1.0, 4))), {"color": COLORS})
    check(lt.nn.softmax(ones), np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum(), {"color": COLORS})
    check(lt.round(lt.pow(ones, 0.5)), [1, 1, 2], {"color": COLORS})


def test_put_together_and_taken_apart(colored: Any) -> None:
    parts = [lt.select(colored, {"color": each}) for each in COLORS]
    check(lt.pack(parts, ("color", COLORS), axis_position=1), VALUES, dict(colored.axes))
    parts = lt.unpack(colored, "color")
    check(parts[2], VALUES[:, 2], {"x": 2, "z": range(4)})
    parts = [lt.select(colored, {"color": [each]}) for each in COLORS]
    check(lt.concat(parts, "color"), VALUES, dict(colored.axes))
    check(lt.concat([colored] * 2, "x"), np.concatenate([VALUES] * 2), {**colored.axes, "x": 4})
    check(lt.tile(colored, {"x": 2}), np.concatenate([VALUES] * 2), {**colored.axes, "x": 4})
    found = lt.pad(lt.select(colored, {"z": 1}), {"color": ([], ["black"]), "x": (1, 0)})
    wanted = np.pad(VALUES[:, :, 1], [(1, 0), (0, 1)])
    check(found, wanted, {"x": 3, "color": (*COLORS, "black")})
    single = lt.expand_dims(labeled([1.0], "a"), ["a", "b"])
    check(lt.squeeze(single), 1.0, {})
    check(lt.squeeze(single, ["b"]), [1.0], {"a": 1})
    found = lt.random_crop(colored, {"z": 2})
    assert found.axes == lt.Axes([("x", 2), ("color", COLORS), ("z", 2)])
    for made, text in (
        (lambda: lt.concat([], "x"), "at least 1 tensor"),
        (lambda: lt.concat([colored], "q"), "q not in"),
        (lambda: lt.concat([colored, colored[:, :, :2]], "x"), "Mismatched shared axes"),
        (lambda: lt.pack([], "q"), "at least 1 tensors"),
        (lambda: lt.pack([colored, single], "q"), "Non-identical axes"),
        (lambda: lt.unpack(colored, "q"), "q not in"),
        (lambda: lt.tile(colored, {"z": 2}), "cannot tile axes with tick labels"),
        (lambda: lt.tile(colored, {"q": 2}), "tile axes"),
        (lambda: lt.pad(colored, {"q": (1, 1)}), "pad axes"),
        (lambda: lt.squeeze(colored, ["x"]), "size greater than 1"),
        (lambda: lt.squeeze(colored, ["q"]), "axis q is not in tensor axes"),
        (lambda: lt.random_crop(colored, {"q": 2}), "Selection axis q"),
        (lambda: lt.where(colored > 1.0, colored, 1.0), "must have equal axes"),
    ):
        with pytest.raises(ValueError, match=text):
            made()


def test_other_shapes(colored: Any) -> None:
    coder = lt.ReshapeCoder(["color", "z"], ["feature"])
    with pytest.raises(ValueError, match="decode called before encode"):
        coder.decode(colored)
    encoded = coder.encode(colored)
    check(encoded, VALUES.reshape(2, 12), {"x": 2, "feature": 12})
    check(coder.decode(encoded), VALUES, dict(colored.axes))
    with pytest.raises(ValueError, match="do not match axes from previous method call"):
        coder.encode(labeled(VALUES, "x", "color", "z"))
    check(lt.rename_axis(colored, "color", "c"), VALUES, {"x": 2, "c": COLORS, "z": range(4)})
    with pytest.raises(lt.AxisOrderError, match="are not a slice of axis names"):
        lt.reshape(colored, ["x", "z"], ["a"])
    with pytest.raises(ValueError, match="are not contained in the set"):
        lt.reshape(colored, ["q"], ["a"])
    with pytest.raises(ValueError, match="at most one axis in new_axes"):
        lt.reshape(colored, ["x"], ["a", "b"])
    with pytest.raises(ValueError, match="existing_name 'q'"):
        lt.rename_axis(colored, "q", "a")


def test_reductions_and_products(colored: Any) -> None:
    check(lt.reduce_sum(colored), VALUES.sum(), {})
    check(lt.reduce_max(colored, ["x", "z"]), VALUES.max((0, 2)), {"color": COLORS})
    found = lt.reduce_mean(colored, [("color", "all"), "z"])
    check(found, VALUES.mean((1, 2))[:, None], {"x": 2, "color": ["all"]})
    assert lt.reduce_min(colored, ("color", None)).axes["color"].size is None
    with pytest.raises(ValueError, match="Axis q not in axes"):
        lt.reduce_sum(colored, "q")
    left = np.random.RandomState(0).randn(2, 3)
    right = np.random.RandomState(1).randn(3, 4)
    for first, axes in ((left, "ab"), (left.T, "ba")):
        for second, others in ((right, "bc"), (right.T, "cb")):
            found = lt.matmul(labeled(first, *axes), labeled(second, *others))
            check(found, left @ right, {"a": 2, "c": 4})
    check(lt.matmul(labeled(left[0], "b"), labeled(right, "b", "c")), left[0] @ right, {"c": 4})
    check(
        lt.matmul(labeled(left, "a", "b"), labeled(right[:, 0], "b")), left @ right[:, 0], {"a": 2}
    )
    check(lt.matmul(labeled(left[0], "b"), labeled(left[1], "b")), left[0] @ left[1], {})
    with lt.axis_order_scope(["c", "b", "a"]):
        found = lt.matmul(labeled(left, "a", "b"), labeled(right, "b", "c"))
        check(found, (left @ right).T, {"c": 4, "a": 2})
    for other, error, text in (
        (labeled(VALUES, *"abc"), NotImplementedError, "rank 2 or less"),
        (labeled(1.0), ValueError, "at least rank 1"),
        (labeled([1.0], "q"), ValueError, "exactly one axis in common"),
        (labeled(left, *"ab"), NotImplementedError, "multiple shared axes"),
        (labeled([1.0], "b"), ValueError, "does not match on input arguments"),
    ):
        with pytest.raises(error, match=text):
            lt.matmul(labeled(left, "a", "b"), other)


def test_functions_of_places(colored: Any) -> None:
    check(lt.map_fn(lambda each: each * 2.0, colored), VALUES * 2, dict(colored.axes))
    found = lt.map_fn(lambda each: lt.reduce_sum(each, "z"), colored)
    check(found, VALUES.sum(2), {"x": 2, "color": COLORS})
    start = lt.zeros_like(lt.select(colored, {"z": 0})[0, :])
    found = lt.foldl(lambda total, each: total + lt.reduce_sum(each, "z"), colored, start)
    check(found, VALUES.sum((0, 2)), {"color": COLORS})
    words = lt.map_fn(lambda each: each, labeled(["a", "b"], "x"))
    assert computed(words).tolist() == [b"a", b"b"]


def test_constants_and_types(colored: Any) -> None:
    check(lt.constant([1, 2], axes=["a"]), [1, 2], {"a": 2})
    check(lt.constant(1.0, axes=[("a", 2), ("b", "xy")]), np.ones([2, 2]), {"a": 2, "b": "xy"})
    check(lt.ones_like(colored, tf.int32), np.ones([2, 3, 4]), dict(colored.axes))
    assert lt.cast(colored, tf.int32).dtype == tf.int32
    check(
        lt.where(colored > 3.0, colored, -colored),
        np.where(VALUES > 3, VALUES, -VALUES),
        dict(colored.axes),
    )
    checked = lt.verify_tensor_all_finite(lt.log(colored), "not finite")
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        computed(checked)
    fed = lt.placeholder(tf.float32, ["a", ("b", 2)])
    assert computed(fed + 1.0, {fed: [[1, 2]]}).tolist() == [[2, 3]]


def test_examples_and_batches(colored: Any) -> None:
    written = [
        tf.train.Example(
            features=tf.train.Features(
                feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i, 2 * i]))}
            )
        ).SerializeToString()
        for i in range(3)
    ]
    feature = lt.FixedLenFeature([("m", ["once", "twice"])], tf.int64)
    found = lt.parse_example(lt.constant(written, axes=["batch"]), {"a": feature})["a"]
    check(found, [[0, 0], [1, 2], [2, 4]], {"batch": 3, "m": ["once", "twice"]})
    found = lt.parse_single_example(lt.constant(written[1]), {"a": feature})["a"]
    check(found, [1, 2], {"m": ["once", "twice"]})
    with pytest.raises(ValueError, match="axes with unknown size"):
        lt.parse_single_example(
            lt.constant(written[1]), {"a": lt.FixedLenFeature([("m", None)], tf.int64)}
        )
    with pytest.raises(ValueError, match='must have an axis called "batch"'):
        lt.batch([colored], 2, enqueue_many=True)
    (batches,) = lt.batch([lt.rename_axis(colored, "x", "batch")], 2, enqueue_many=True)
    assert batches.axes == lt.Axes([("batch", 2), ("color", COLORS), ("z", range(4))])
    (shuffled,) = lt.shuffle_batch([colored], 5, allow_smaller_final_batch=True)
    assert shuffled.axes["batch"].size is None
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        np.testing.assert_array_equal(session.run(batches), VALUES)
        assert session.run(shuffled).shape == (5, 2, 3, 4)
        coordinator.request_stop()
        coordinator.join(threads)
