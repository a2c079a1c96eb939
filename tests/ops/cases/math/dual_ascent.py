"""Rows for stochastic dual coordinate ascent.

Examples are taken in random order: here no two of a batch share a weight.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.program import Program, Step, fails_alike, run

_LOSSES: Final = (
    "logistic_loss",
    "squared_loss",
    "hinge_loss",
    "smooth_hinge_loss",
    "poisson_loss",
)
_LONG: Final = (127, 128, 144, 145, 300)
"""Lengths of strings that are hashed in blocks, with and without a rest."""


def _batch(
    count: int = 3,
    *,
    sparse: bool = True,
    values: bool = True,
    dense: bool = True,
    weights: Sequence[float] = (2.0, 0.5, 1.0),
    labels: Sequence[float] = (1.0, 0.0, 1.0),
    duals: Sequence[float] = (0.3, -0.2, 0.0),
    changed: Mapping[int, Any] | None = None,
) -> list[Any]:
    """The inputs: examples of two sparse features and a dense one; some, by number, others."""
    places = np.arange(2 * count)
    own = np.diag(np.linspace(1, 2, count)).astype(np.float32)
    state = np.zeros((count, 4), np.float32)
    state[:, 0] = duals[:count]
    made: list[Any] = [
        [places // 2] * sparse,
        [places * 3] * sparse,
        [np.linspace(0.5, 1.5, 2 * count).astype(np.float32)] * (sparse and values),
        [own] * dense,
        np.array(weights[:count], np.float32),
        np.array(labels[:count], np.float32),
        [places * 3] * sparse,
        [np.linspace(-0.4, 0.4, 2 * count).astype(np.float32)] * sparse,
        [np.linspace(0.3, -0.2, count).astype(np.float32)] * dense,
        state,
    ]
    for place, value in (changed or {}).items():
        made[place] = value
    return made


def _attrs(loss: str, op: str = "SdcaOptimizer", **changed: Any) -> dict[str, Any]:
    adaptive = "adaptative" if op == "SdcaOptimizer" else "adaptive"
    return {
        "loss_type": loss,
        adaptive: False,
        "l1": 0.1,
        "l2": 0.5,
        "num_loss_partitions": 1,
        "num_inner_iterations": 1,
        **changed,
    }


def _case(label: str, attrs: dict[str, Any], op: str = "SdcaOptimizer", **batch: Any) -> Case:
    return Case(op, lambda v: _batch(**batch), ("float32",), attrs, label=label)


def _bad(text: str, **batch: Any) -> Bad:
    return Bad(lambda v: _batch(**batch), text, when="run")


_ROWS: Final = [
    case
    for loss in _LOSSES
    for case in (
        _case(loss, _attrs(loss)),
        _case(
            f"{loss}-partitions", _attrs(loss, l1=0.0, num_loss_partitions=3), duals=(1.2, -2, 0)
        ),
        _case(f"{loss}-adaptive", _attrs(loss, adaptative=True), count=1),
    )
]

_REFUSED: Final = (
    _bad(r"Expected shape \[3,4\] for example_state_data, got \[2,4\]", changed={9: _batch(2)[9]}),
    _bad("example_state_data must be rank 2 but is rank 1", changed={9: np.zeros(3, np.float32)}),
    _bad(
        "Found sparse feature indices out of valid range: 99",
        changed={1: [np.array([0, 3, 6, 9, 12, 99])]},
    ),
    _bad("Duplicate index in sparse vector", changed={1: [np.array([0, 0, 6, 9, 12, 15])]}),
    _bad(
        "More dense features than we have parameters for: 9",
        changed={3: [np.zeros((3, 9), np.float32)]},
    ),
    _bad("Dense features at index 0 must be rank 2 but is rank 1", changed={3: [_batch()[4]]}),
    _bad("Expected 3 example labels but got 2", changed={5: np.zeros(2, np.float32)}),
    _bad(
        r"Found mismatched example_indices and feature_indices \[0 0 1 1 2 2\] vs \[0 3\]",
        changed={1: [np.array([0, 3])]},
    ),
)

CASES = [
    *_ROWS,
    _case("no values", _attrs("squared_loss"), values=False),
    _case("dense only", _attrs("squared_loss"), sparse=False),
    _case("sparse only", _attrs("squared_loss"), dense=False),
    _case("V2", _attrs("hinge_loss", "SdcaOptimizerV2"), "SdcaOptimizerV2"),
    Case(
        "SdcaOptimizer",
        lambda v: _batch(),
        ("float32",),
        _attrs("squared_loss"),
        label="refused",
        bad=_REFUSED,
    ),
    Case(
        "SdcaOptimizer",
        lambda v: _batch(),
        ("float32",),
        _attrs("logistic_loss"),
        label="sides",
        bad=(
            _bad(
                "Only labels of 0.0 or 1.0 are supported right now. Found example with label: 2.5",
                labels=(1, 2.5, 0),
            ),
        ),
    ),
    Case(
        "SdcaOptimizer",
        lambda v: _batch(),
        ("float32",),
        _attrs("poisson_loss"),
        label="counts",
        bad=(
            _bad(
                "Only non-negative labels can be used with the Poisson log loss", labels=(1, -2, 0)
            ),
        ),
    ),
    Case(
        "SdcaFprint",
        lambda v: [
            np.array([b"x" * n for n in (*range(0, 40, 3), 127, 128, 144, 145, 300)], object)
        ],
        ("string",),
        bad=(Bad(lambda v: [np.array([[b"a"]], object)], "rank 1 but is rank 2", when="build"),),
    ),
]


def _shrinks(tf: Any, v: Values) -> Generator[Step]:
    weights = [
        tf.Variable(np.array(value, np.float32), use_resource=False)
        for value in ([1.0, -2.0, 0.1, -0.1, 0.0], [[0.5]])
    ]
    shrink = tf.train.sdca_shrink_l1(weights, l1=0.4, l2=2.0)
    yield fails_alike(shrink)
    yield run(*(each.initializer for each in weights))
    yield run(shrink)
    yield run(*weights)


PROGRAMS = [Program("SdcaShrinkL1", _shrinks, ("float32",))]
