"""Rows for LSTMs and GRUs that are one op."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

BATCH, SIZE, UNITS, STEPS = 3, 2, 4, 5
HALVES = ("float32", "float16")


def weights(v: Values, units: int = UNITS) -> list[np.ndarray]:
    diagonals = [v.between(-1, 1, units) for _ in range(3)]
    return [v.between(-1, 1, SIZE + units, 4 * units), *diagonals, v.between(-1, 1, 4 * units)]


def state(v: Values) -> list[np.ndarray]:
    return [v.between(-1, 1, BATCH, UNITS), v.between(-1, 1, BATCH, UNITS)]


def step(v: Values) -> list[np.ndarray]:
    return [v.between(-1, 1, BATCH, SIZE), *state(v), *weights(v)]


def steps(v: Values, longest: int = STEPS) -> list[Any]:
    return [np.int64(longest), v.between(-1, 1, STEPS, BATCH, SIZE), *state(v), *weights(v)]


def one_step(v: Values) -> list[Any]:
    return [np.int64(1), v.between(-1, 1, 1, BATCH, SIZE), *state(v), *weights(v)]


def step_back(v: Values) -> list[np.ndarray]:
    return [*step(v), *(v.between(0.1, 0.9, BATCH, UNITS) for _ in range(8))]


def steps_back(v: Values, longest: int = STEPS) -> list[Any]:
    parts = [v.between(0.1, 0.9, STEPS, BATCH, UNITS) for _ in range(9)]
    return [*steps(v, longest), *parts]


def gru(v: Values) -> list[np.ndarray]:
    rows = SIZE + UNITS
    return [
        v.between(-1, 1, BATCH, SIZE),
        v.between(-1, 1, BATCH, UNITS),
        v.between(-1, 1, rows, 2 * UNITS),
        v.between(-1, 1, rows, UNITS),
        v.between(-1, 1, 2 * UNITS),
        v.between(-1, 1, UNITS),
    ]


def gru_back(v: Values) -> list[np.ndarray]:
    return [*gru(v), *(v.between(0.1, 0.9, BATCH, UNITS) for _ in range(4))]


def changed(make: Any, place: int, *size: int) -> Any:
    """The usual inputs, one of them of another shape."""

    def args(v: Values) -> list[Any]:
        usual = list(make(v))
        usual[place] = v.between(-1, 1, *size)
        return usual

    return args


def lstm_bad(make: Any, offset: int) -> tuple[Bad, ...]:
    attrs = {"use_peephole": True}
    return (
        Bad(changed(make, offset + 3, SIZE + UNITS, 3), "w.dim_size", attrs=attrs, when="run"),
        Bad(changed(make, offset + 3, 9, 4 * UNITS), "w.dim_size", attrs=attrs, when="run"),
        Bad(changed(make, offset + 2, 2, UNITS), "h_prev.dims", attrs=attrs, when="run"),
        Bad(changed(make, offset + 1, 2, UNITS), "cs_prev.dims", attrs=attrs, when="run"),
        Bad(changed(make, offset, BATCH), "[Rr]ank", attrs=attrs, when="build"),
    )


OPTIONS: tuple[dict[str, Any], ...] = (
    {"use_peephole": True, "cell_clip": 0.5, "forget_bias": 0.3},
    {"use_peephole": False, "cell_clip": -1.0},
)

CASES = [
    *(
        Case("LSTMBlockCell", step, HALVES, attrs=attrs, label=str(attrs), rtol=2e-5, bad=bad)
        for attrs, bad in zip(OPTIONS, (lstm_bad(step, 0), ()), strict=True)
    ),
    *(
        Case("LSTMBlockCellGrad", step_back, HALVES, attrs={"use_peephole": peephole}, outputs=seen)
        for peephole, seen in ((True, None), (False, (0, 1)))
    ),
    *(
        Case(
            "BlockLSTM",
            steps,
            ("float32",),
            attrs=attrs,
            label=str(attrs),
            static=(0,),
            gradients=(1, 2, 3, 4, 8),
            numeric="cell_clip" in attrs and attrs["cell_clip"] < 0,
        )
        for attrs in OPTIONS
    ),
    Case("BlockLSTM", lambda v: steps(v, 3), HALVES, label="short", outputs=(1, 6)),
    Case("BlockLSTMV2", steps, HALVES, attrs={"use_peephole": True}),
    # TensorFlow's gradient takes the columns for BlockLSTM's: what is right in it is compared here,
    # and the rest with finite differences in tests/contrib/recurrent/test_block_cells.py.
    Case(
        "BlockLSTMV2",
        one_step,
        ("float32",),
        attrs={"use_peephole": True},
        label="one step",
        static=(0,),
        gradients=(2, 7),
    ),
    Case("BlockLSTMV2", steps, HALVES, attrs={"cell_clip": 0.4}, label="clip"),
    *(
        Case(op, steps_back, HALVES, attrs={"use_peephole": True}, label=op)
        for op in ("BlockLSTMGrad", "BlockLSTMGradV2")
    ),
    Case(
        "GRUBlockCell",
        gru,
        ("float32",),
        bad=(
            Bad(changed(gru, 2, 9, 2 * UNITS), "w_ru.dim_size", when="run"),
            Bad(changed(gru, 4, UNITS), "b_ru.dim_size", when="run"),
            Bad(changed(gru, 5, 3, 3), "b_c", when="run"),
            Bad(changed(gru, 1, 3), "[Rr]ank", when="build"),
        ),
    ),
    Case("GRUBlockCellGrad", gru_back, ("float32",)),
]
