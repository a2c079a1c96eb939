"""Rows for the cross entropies of softmax."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOATS, Bad, Case, Values
from tests.ops.knowledge import PARTIAL, STATIC, UNKNOWN

# TensorFlow takes what it does not know for what needs no broadcasting, and then infers shapes
# that the results do not have.
SOUND = (STATIC, PARTIAL, UNKNOWN)


def _pair(*shapes: tuple[int, ...]) -> object:
    return lambda v: [v.any(*shapes[0]), v.between(0, 1, *shapes[1])]


def _distributions(values: Values, *shape: int) -> np.ndarray:
    weights = values.positive(*shape)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _labels(values: Values, dtype: str = "int32") -> list[np.ndarray]:
    return [values.any(4, 3), np.array([0, 2, 1, 2], dtype)]


def _bad_sparse(logits: tuple[int, ...], labels: object, text: str, when: str = "any") -> Bad:
    return Bad(lambda v: [v.any(*logits), np.array(labels, "int32")], text, when=when)


CASES = [
    *(
        Case(
            "SoftmaxCrossEntropyWithLogits",
            _pair(*shapes),
            FLOATS,
            gradients=(0, 1),
            label=f"{shapes[0]}{shapes[1]}",
            # The gradient is that for labels that sum to one, and of the second output it leaves
            # out the labels.
            numeric=False,
            shapes=SOUND,
        )
        for shapes in (((3, 4), (3, 4)), ((0, 4), (0, 4)))
    ),
    Case(
        "SoftmaxCrossEntropyWithLogits",
        lambda v: [v.any(3, 4), _distributions(v, 3, 4)],
        ("float32", "float64"),
        gradients=(0,),
        shapes=SOUND,
        label="distributions",
    ),
    *(
        # TensorFlow's gradient does not undo the broadcasting, so that it is not asked for.
        Case(
            "SoftmaxCrossEntropyWithLogits",
            _pair(*shapes),
            shapes=SOUND,
            label=f"{shapes[0]}{shapes[1]}",
        )
        for shapes in (((1, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (3, 4)), ((2, 0), (2, 0)))
    ),
    Case(
        "SoftmaxCrossEntropyWithLogits",
        lambda v: [v.any(3, 4) * v.dtype.type(90), v.between(0, 1, 3, 4)],
        ("float32", "float64"),
        shapes=SOUND,
        label="far",
        bad=(
            Bad(_pair((2, 3), (2, 4)), "Dimensions must be equal, but are 3 and 4", when="build"),
            Bad(_pair((3,), (3,)), "Shape must be broadcasted with rank 2, but is rank 1"),
            Bad(
                _pair((2, 3), (2, 4)),
                r"logits and labels must be broadcastable: logits_size=\[2,3\] labels_size=\[2,4\]",
                when="run",
            ),
            Bad(_pair((2, 3, 1), (2, 3, 1)), "or broadcasted to be 2-dimensional", when="run"),
        ),
    ),
    *(
        Case(
            "SparseSoftmaxCrossEntropyWithLogits",
            lambda v, d=dtype: _labels(v, d),
            FLOATS,
            gradients=(0,),
            label=dtype,
        )
        for dtype in ("int32", "int64")
    ),
    Case(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda v: [v.any(0, 3), np.zeros(0, "int32")],
        label="empty",
        bad=(
            _bad_sparse(
                (2, 3),
                [1, 5],
                r"Received a label value of 5 which is outside the valid range of \[0, 3\).  "
                "Label values: 1 5",
            ),
            _bad_sparse((2, 3), [-1, 0], "Received a label value of -1"),
            _bad_sparse((2, 3), [1, 2, 0], "Dimensions must be equal, but are 2 and 3", "build"),
            _bad_sparse(
                (2, 3),
                [1, 2, 0],
                r"must have the same first dimension, got logits shape \[2,3\] and labels shape "
                r"\[3\]",
                "run",
            ),
            _bad_sparse((3,), [1], "Shape must be rank 2 but is rank 1"),
            _bad_sparse((2, 3, 1), [1], r"logits must be 2-D, but got shape \[2,3,1\]", "run"),
            _bad_sparse((2, 3), [[1], [2]], r"labels must be 1-D, but got shape \[2,1\]", "run"),
            _bad_sparse((2, 0), [1, 2], "Must have at least one class", "run"),
        ),
    ),
]
