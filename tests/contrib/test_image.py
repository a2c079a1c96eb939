"""tf.contrib.image, compared with scipy and with numpy's own turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

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
