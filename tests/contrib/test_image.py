"""tf.contrib.image, compared with scipy and with numpy's own turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import interpolate, ndimage

import dataflow as tf

_IMAGES = np.random.default_rng(1).random((2, 9, 9, 3)).astype(np.float32)
_CONTRIB: Any = tf.contrib


def _run(tensor: Any) -> Any:
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def test_quarters_are_those_of_numpy() -> None:
    with tf.Graph().as_default():
        turned = _CONTRIB.image.rotate(_IMAGES, [np.pi / 2, np.pi])
    found = _run(turned)
    np.testing.assert_array_equal(found[0], np.rot90(_IMAGES[0]))
    np.testing.assert_array_equal(found[1], np.rot90(_IMAGES[1], 2))


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_turned_as_scipy_turns(rank: int) -> None:
    image = {2: _IMAGES[0, :, :, 0], 3: _IMAGES[0], 4: _IMAGES[:1]}[rank]
    with tf.Graph().as_default():
        turned = _CONTRIB.image.rotate(image, 0.3, interpolation="BILINEAR")
    expected = ndimage.rotate(
        _IMAGES[0], np.degrees(0.3), reshape=False, order=1, mode="grid-constant"
    )
    found = _run(turned)
    assert found.shape == image.shape
    np.testing.assert_allclose(
        found.reshape(9, 9, -1), expected[..., : 1 if rank == 2 else 3], atol=1e-5
    )


def test_moved() -> None:
    with tf.Graph().as_default():
        moved = _CONTRIB.image.translate(_IMAGES, [[2, 1], [0, -3]])
    found = _run(moved)
    expected = np.zeros_like(_IMAGES)
    expected[0, 1:, 2:], expected[1, :-3] = _IMAGES[0, :-1, :-2], _IMAGES[1, 3:]
    np.testing.assert_array_equal(found, expected)


def test_composed() -> None:
    """One transformation after the other is their composition, and its gradient goes back."""
    with tf.Graph().as_default():
        image = tf.constant(_IMAGES)
        first = _CONTRIB.image.translations_to_projective_transforms([1.0, 2.0])
        second = _CONTRIB.image.angles_to_projective_transforms(np.pi / 2, 9, 9)
        one_by_one = _CONTRIB.image.transform(_CONTRIB.image.transform(image, first), second)
        both = _CONTRIB.image.transform(image, _CONTRIB.image.compose_transforms(first, second))
        inner = (slice(None), slice(3, 6), slice(3, 6))
        [slope] = tf.gradients(_CONTRIB.image.transform(image, first), image)
        with tf.Session() as session:
            values = session.run([one_by_one, both, slope])
    np.testing.assert_array_equal(values[0][inner], values[1][inner])
    seen = np.zeros_like(_IMAGES)
    seen[:, :-2, :-1] = 1
    np.testing.assert_array_equal(values[2], seen)


def test_another_size() -> None:
    with tf.Graph().as_default():
        cut = _CONTRIB.image.transform(_IMAGES, [1, 0, 2, 0, 1, 3, 0, 0], output_shape=[4, 5])
    assert cut.shape.as_list() == [2, 4, 5, 3]
    np.testing.assert_array_equal(_run(cut), _IMAGES[:, 3:7, 2:7])


def test_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="Invalid dtype"):
            _CONTRIB.image.rotate(tf.constant(["a"]), 1.0)
        with pytest.raises(TypeError, match="rank between 2 and 4"):
            _CONTRIB.image.rotate(np.zeros(3, np.float32), 1.0)
        with pytest.raises(TypeError, match="Angles should have rank 0 or 1"):
            _CONTRIB.image.rotate(_IMAGES, [[1.0]])
        with pytest.raises(TypeError, match="Translations should have rank 1 or 2"):
            _CONTRIB.image.translate(_IMAGES, 1.0)
        with pytest.raises(TypeError, match="Transforms should have rank 1 or 2"):
            _CONTRIB.image.transform(_IMAGES, 1.0)
        unknown = _CONTRIB.image.rotate(_IMAGES, 1.0, interpolation="CUBIC")
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.InvalidArgumentError, match="Invalid interpolation CUBIC"),
        ):
            session.run(unknown)


@pytest.mark.parametrize("valid", [-1, 3])
@pytest.mark.parametrize("top", [-1, 2])
def test_bipartite_match_takes_the_nearest_pairs(valid: int, top: int) -> None:
    distances = np.random.RandomState(3).rand(4, 6).astype(np.float32)
    distances[1] = np.inf
    rows, columns = np.full(4, -1), np.full(6, -1)
    for place in np.argsort(distances, axis=None, kind="stable"):
        row, column = divmod(int(place), 6)
        full = (rows >= 0).sum() == top
        if not full and row < (valid % 5) and rows[row] < 0 and columns[column] < 0:
            rows[row], columns[column] = column, row
    fed = tf.placeholder(tf.float32)
    for given in (distances, fed):
        found = tf.contrib.image.bipartite_match(given, [valid], top_k=top)
        with tf.Session() as session:
            for mine, wanted in zip(
                session.run(found, {fed: distances}), (rows, columns), strict=True
            ):
                assert mine.tolist() == wanted.tolist()


def test_images_are_warped_linearly() -> None:
    random = np.random.RandomState(4)
    image = random.rand(2, 4, 5, 3).astype(np.float32)
    flow = (3 * random.randn(2, 4, 5, 2)).astype(np.float32)
    wanted = np.empty_like(image)
    for batch, row, column in np.ndindex(2, 4, 5):
        y = np.clip(row - flow[batch, row, column, 0], 0, 3)
        x = np.clip(column - flow[batch, row, column, 1], 0, 4)
        above, before = int(min(y, 2)), int(min(x, 3))
        part = image[batch, above : above + 2, before : before + 2]
        dy, dx = y - above, x - before
        weights = np.array([[(1 - dy) * (1 - dx), (1 - dy) * dx], [dy * (1 - dx), dy * dx]])
        wanted[batch, row, column] = (part * weights[..., None]).sum((0, 1))
    given = tf.constant(image)
    warped = tf.contrib.image.dense_image_warp(given, flow)
    assert warped.shape.as_list() == [2, 4, 5, 3]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(warped), wanted, atol=1e-5)
        [gradient] = session.run(tf.gradients(warped, given))
    assert gradient.sum() == pytest.approx(image.size, rel=1e-5)
    with pytest.raises(ValueError):
        tf.contrib.image.dense_image_warp(given[0], flow)


@pytest.mark.parametrize(
    ("order", "kernel"), [(1, "linear"), (2, "thin_plate_spline"), (3, "cubic")]
)
def test_splines_are_those_of_scipy(order: int, kernel: str) -> None:
    points, wanted = (np.random.default_rng(seed).random((1, 7, 2)) for seed in (1, 2))
    values = np.random.default_rng(3).random((1, 7, 3))
    with tf.Graph().as_default():
        exact = _run(_CONTRIB.image.interpolate_spline(points, values, wanted, order))
        unknown = tf.placeholder(tf.float32, [1, 7, None])
        with pytest.raises(ValueError, match=r"input points \(d\) must be statically"):
            _CONTRIB.image.interpolate_spline(unknown, values, wanted, order)
    theirs = interpolate.RBFInterpolator(points[0], values[0], kernel=kernel, degree=1)
    np.testing.assert_allclose(exact[0], theirs(wanted[0]), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("edge", [0, 2])
def test_points_come_to_stand_elsewhere(edge: int) -> None:
    source = np.array([[[2.0, 2.0], [5.0, 6.0]]] * 2, np.float32)
    target = source + [[[1.0, 0.0], [0.0, -2.0]]] * 2
    with tf.Graph().as_default():
        if edge == 0:  # Two points and a plane have many solutions.
            source = np.concatenate([source, [[[0, 8], [8, 0]]] * 2], 1).astype(np.float32)
            target = np.concatenate([target, source[:, 2:]], 1).astype(np.float32)
        warped, flow = _CONTRIB.image.sparse_image_warp(
            _IMAGES, source, target.astype(np.float32), num_boundary_points=edge
        )
        with tf.Session() as session:
            found, moved = session.run([warped, flow])
    for at, (row, column) in enumerate(((2, 2), (5, 6))):
        to = target[0, at].astype(int)
        np.testing.assert_allclose(found[:, to[0], to[1]], _IMAGES[:, row, column], atol=1e-3)
    np.testing.assert_allclose(moved[:, 8, 0], 0, atol=1e-3)


def test_values_between_pixels() -> None:
    places = np.random.default_rng(1).uniform(-2, 11, (2, 5, 4, 2)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session():
        data, warp = tf.constant(_IMAGES), tf.constant(places)
        result = _CONTRIB.resampler.resampler(data, warp)
        assert result.shape.as_list() == [2, 5, 4, 3]
        found = result.eval()
        some = tf.constant(_IMAGES[:1, :3, :3, :1])
        few = tf.constant([[[0.3, 1.4], [-0.6, 0.2], [1.7, 2.7]]])
        of_few = _CONTRIB.resampler.resampler(some, few)
        for x in (some, few):
            assert tf.test.compute_gradient_error(x, x.shape.as_list(), of_few, [1, 3, 1]) < 1e-3
        with pytest.raises(ValueError, match="incompatible"):
            _CONTRIB.resampler.resampler(data, tf.zeros([2, 3]))
    for image, at, ours in zip(_IMAGES, places, found, strict=True):
        for channel in range(3):
            theirs = ndimage.map_coordinates(
                image[..., channel], [at[..., 1], at[..., 0]], order=1, mode="grid-constant"
            )
            np.testing.assert_allclose(ours[..., channel], theirs, atol=1e-5)


def test_connected_components() -> None:
    from scipy import ndimage

    random = np.random.RandomState(0)
    snake = np.zeros([9, 9], bool)
    snake[::2] = True
    snake[1::4, -1] = snake[3::4, 0] = True
    for images in (
        random.uniform(size=[3, 12, 15]) < 0.6,
        random.uniform(size=[20, 7]) < 0.5,
        snake,
        np.zeros([2, 3], bool),
        np.zeros([0, 4, 5], bool),
        np.ones([1, 1], bool),
    ):
        expected, last = [], 0
        for image in images.reshape(-1, *images.shape[-2:]):
            labels, count = ndimage.label(image)
            expected.append(np.where(image, labels + last, 0))
            last += count
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder(tf.bool, [None] * images.ndim)
            found = tf.contrib.image.connected_components(fed)
            assert found.dtype == tf.int32
            found = session.run(found, {fed: images})
        np.testing.assert_array_equal(found, np.reshape(expected, images.shape))


def test_components_of_equal_numbers_and_words() -> None:
    numbers = [[1, 1, 2], [0, 2, 2], [1, 0, 2]]
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.contrib.image.connected_components(numbers))
        np.testing.assert_array_equal(found, [[1, 1, 2], [0, 2, 2], [3, 0, 2]])
        words = session.run(tf.contrib.image.connected_components([["a", "b", "", "b"]]))
        np.testing.assert_array_equal(words, [[1, 2, 0, 3]])
        with pytest.raises(TypeError, match=r"images should have rank 2 \(HW\) or 3 \(NHW\)"):
            tf.contrib.image.connected_components([1])


def _names(graph: tf.Graph, scope: str) -> str:
    """Nodes of a scope in order, without the numbers that slices take."""
    names = [operation.name for operation in graph.get_operations()]
    return " ".join(
        name.removeprefix(f"{scope}/")
        for name in names
        if name.startswith(f"{scope}/") and "/stack" not in name
    )


def test_nodes_of_turned_images_are_those_of_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        _CONTRIB.image.rotate(tf.placeholder(tf.float32, [5, 6, 3]), [0.3])
    assert _names(graph, "rotate/angles_to_projective_transforms") == (
        "angles sub/y sub Cos sub_1/y sub_1 mul Sin sub_2/y sub_2 mul_1 sub_3 sub_4 truediv/y"
        " truediv sub_5/y sub_5 Sin_1 sub_6/y sub_6 mul_2 Cos_1 sub_7/y sub_7 mul_3 add sub_8"
        " truediv_1/y truediv_1 Shape strided_slice Cos_2 strided_slice_1 Sin_2 strided_slice_2 Neg"
        " strided_slice_3 Sin_3 strided_slice_4 Cos_3 strided_slice_5 strided_slice_6"
        " zeros/packed/1 zeros/packed zeros/Const zeros concat/axis concat"
    )
    outside = [name for name in _names(graph, "rotate").split() if "angles" not in name]
    assert " ".join(outside) == (
        "strided_slice Shape strided_slice_1 Cast strided_slice_2 Shape_1 strided_slice_3 Cast_1"
        " strided_slice_4 transform/Shape transform/strided_slice"
        " transform/ImageProjectiveTransformV2 strided_slice_5"
    )


def test_nodes_of_moves_are_those_of_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        _CONTRIB.image.translations_to_projective_transforms([[1.0, 2.0]])
    fills = ["ones", "zeros", "zeros_1", "ones_1", "zeros_2"]
    named = _names(graph, "translations_to_projective_transforms").split()
    assert [name for name in named if name in fills] == fills
    others = [name for name in named if not name.startswith(("ones", "zeros"))]
    assert " ".join(others) == (
        "translations Shape strided_slice strided_slice_1 Neg strided_slice_2 Neg_1"
        " concat/axis concat"
    )


def test_nodes_of_sizes_and_matrices_are_those_of_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.uint8, [5, 6])
        row = tf.placeholder(tf.float32, [8])
        _CONTRIB.image.transform(image, row, output_shape=[3, 4])
        _CONTRIB.image.compose_transforms(row)
    assert _names(graph, "transform") == (
        "strided_slice output_shape strided_slice_1 ImageProjectiveTransformV2 strided_slice_2"
    )
    assert _names(graph, "compose_transforms/flat_transforms_to_matrices") == (
        "Const Reshape Shape strided_slice ones/packed/1 ones/packed ones/Const ones concat/axis"
        " concat Const_1 Reshape_1"
    )
    assert _names(graph, "compose_transforms/matrices_to_flat_transforms") == (
        "Const Reshape strided_slice truediv strided_slice_1"
    )


def test_sizes_and_ranks_that_are_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="output_shape must be a 1-D Tensor of 2 elements"):
            _CONTRIB.image.transform(_IMAGES, [1.0] * 8, output_shape=[1, 2, 3])
        with pytest.raises(TypeError, match="image_or_images rank must be statically known"):
            _CONTRIB.image.rotate(tf.placeholder(tf.float32), 1.0)
        with pytest.raises(TypeError, match="transform_or_transforms rank must be statically"):
            _CONTRIB.image.transform(_IMAGES, tf.placeholder(tf.float32))
