"""tf.contrib.image: colors changed in YIQ space, beside what TensorFlow 1.15 gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

_CONTRIB: Any = tf.contrib
_IMAGE = np.random.RandomState(0).rand(2, 2, 3).astype(np.float32)


def _run(tensor: Any) -> Any:
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (
            (0.5, 1, 1),
            [
                [0.57493705, 0.7178788, 0.5203979, 0.49427587, 0.44338822, 0.67701733],
                [0.42367047, 0.9576759, 0.66082156, 0.44460943, 0.8003442, 0.32408208],
            ],
        ),
        (
            (1.2, 0.3, 1.4),
            [
                [0.9088312, 0.9316479, 0.83385193, 0.6530503, 0.67991716, 0.7452537],
                [0.9761249, 1.1558193, 0.87286234, 0.88089347, 0.9409335, 0.70039254],
            ],
        ),
        (
            (-2.0, 2.0, 0.5),
            [
                [0.3440711, 0.28065097, 0.51485837, 0.29993245, 0.24511717, 0.079430655],
                [0.62020934, 0.17435877, 0.82712495, 0.36995965, 0.20492393, 0.78012747],
            ],
        ),
    ],
)
def test_floats(numbers: tuple[float, float, float], expected: list[list[float]]) -> None:
    with tf.Graph().as_default():
        found = _run(_CONTRIB.image.adjust_hsv_in_yiq(_IMAGE, *numbers))
    np.testing.assert_allclose(found.reshape(2, 6), expected, rtol=2e-6, atol=2e-7)


def test_integers_are_scaled_and_come_back() -> None:
    image = (_IMAGE * 255).astype(np.uint8)
    with tf.Graph().as_default():
        found = _run(_CONTRIB.image.adjust_hsv_in_yiq(image, 0.5, 1.5, 1.2))
    assert found.dtype == np.uint8
    assert found.ravel().tolist() == [163, 229, 137, 151, 129, 235, 77, 66, 185, 105, 12, 50]


def test_no_pixels() -> None:
    with tf.Graph().as_default():
        found = _run(_CONTRIB.image.adjust_hsv_in_yiq(np.zeros((0, 2, 3), np.float32), 0.1))
    assert found.shape == (0, 2, 3)


def test_nodes() -> None:
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.uint8, [None, None, 3])
        changed = _CONTRIB.image.random_hsv_in_yiq(images, 0.1, 0.5, 1.5, 0.5, 1.5, seed=3)
    assert changed.shape.as_list() == [None, None, 3]
    drawn = [
        f"random_uniform{number}{part}"
        for number in ("", "_1", "_2")
        for part in ("/shape", "/min", "/max", "/RandomUniform", "/sub", "/mul", "")
    ]
    scope = "adjust_hsv_in_yiq"
    assert [node.name for node in graph.as_graph_def().node] == [
        "Placeholder",
        *drawn,
        f"{scope}/convert_image/Cast",
        f"{scope}/convert_image/y",
        f"{scope}/convert_image",
        f"{scope}/AdjustHsvInYiq",
        f"{scope}/convert_image_1/Mul/y",
        f"{scope}/convert_image_1/Mul",
        f"{scope}/convert_image_1",
    ]


def test_what_is_drawn_lies_between_the_bounds() -> None:
    gray = np.full((1, 1, 3), 0.5, np.float32)
    with tf.Graph().as_default() as graph:
        image = _CONTRIB.image.random_hsv_in_yiq(gray, lower_value=0.5, upper_value=1.5, seed=3)
        with tf.Session(graph=graph) as session:
            values = [float(session.run(image)[0, 0, 0]) * 2 for _ in range(20)]
    assert 0.5 <= min(values) < 0.8
    assert 1.2 < max(values) < 1.5


def test_random_refuses() -> None:
    change = _CONTRIB.image.random_hsv_in_yiq
    with pytest.raises(ValueError, match=r"^max_delta must be non-negative\.$"):
        change(_IMAGE, max_delta_hue=-1)
    with pytest.raises(ValueError, match=r"^lower_saturation must be non-negative\.$"):
        change(_IMAGE, lower_saturation=-1)
    with pytest.raises(ValueError, match=r"^lower_value must be non-negative\.$"):
        change(_IMAGE, lower_value=-1)
    with pytest.raises(ValueError, match=r"^lower_saturation must be < upper_saturation\.$"):
        change(_IMAGE, lower_saturation=2)
    with pytest.raises(ValueError, match=r"^lower_value must be < upper_value\.$"):
        change(_IMAGE, lower_value=2)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, np.zeros(3), "input must be at least 3-D, got shape[3]"),
        (0, np.zeros((1, 2, 4)), "input must have 3 channels but instead has 4 channels."),
        (1, [0.1], "delta_h must be scalar: [1]"),
        (2, [1.0], "scale_s must be scalar: [1]"),
        (3, [1.0], "scale_v must be scalar: [1]"),
    ],
)
def test_the_op_refuses(place: int, value: Any, message: str) -> None:
    values: list[Any] = [_IMAGE, 0.1, 1.0, 1.0]
    values[place] = value
    with tf.Graph().as_default() as graph:
        inputs = [tf.placeholder(tf.float32) for _ in range(4)]
        changed = _CONTRIB.image.adjust_hsv_in_yiq(*inputs)
        with (
            tf.Session(graph=graph) as session,
            pytest.raises(tf.errors.InvalidArgumentError) as caught,
        ):
            session.run(changed, dict(zip(inputs, values, strict=True)))
    assert caught.value.message.startswith(message)


def test_rank_and_gradient() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Shape must be at least rank 3 but is rank 2"):
            _CONTRIB.image.adjust_hsv_in_yiq(np.zeros((3, 3), np.float32))
        images = tf.placeholder(tf.float32, [2, 2, 3])
        changed = _CONTRIB.image.adjust_hsv_in_yiq(images, 0.1)
        with pytest.raises(LookupError, match="No gradient defined for operation"):
            tf.gradients(changed, images)
