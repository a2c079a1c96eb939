"""Rows for CTC losses and decoders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

LABELS = ([0, 1, 1], [2], [3, 3], [1, 0, 2, 1])
LENGTHS = (7, 4, 3, 6)
DECODED = (9, 3, 5)
"""Frames, sequences and classes of what is decoded."""


def labelled(
    v: Values,
    labels: Sequence[Sequence[int]] = LABELS,
    lengths: Sequence[int] = LENGTHS,
    shape: tuple[int, ...] = (7, 4, 5),
) -> list[np.ndarray]:
    indices = [[row, place] for row, each in enumerate(labels) for place in range(len(each))]
    values = [label for each in labels for label in each]
    return [
        v.any(*shape),
        np.int64(indices).reshape(-1, 2),
        np.int32(values),
        np.int32(lengths),
    ]


def decoded(v: Values, lengths: Any = (9, 4, 0), shape: Any = DECODED) -> list[np.ndarray]:
    return [v.any(*shape), np.int32(lengths)]


def _with(position: int, value: np.ndarray) -> Any:
    """The usual inputs, one of them replaced."""

    def args(v: Values) -> list[np.ndarray]:
        usual = labelled(v)
        usual[position] = value
        return usual

    return args


INDICES = labelled(Values("float32"))[1]
LOSS_BAD = (
    Bad(_with(3, np.int32([7, 4, 3])), r"\(sequence_length\):  3 batch_size: 4", when="run"),
    Bad(_with(3, np.int32([7, 4, 9, 6])), r"sequence_length\(2\) <= 7", when="run"),
    Bad(_with(3, np.int32([7, 4, -1, 6])), r"seq_len\(2\) < 0", when="run"),
    Bad(_with(3, np.int32([LENGTHS])), "sequence_length is not a vector", when="run"),
    Bad(_with(3, np.int32([2, 4, 3, 6])), r"\(required: 3, available: 2\)0You", when="run"),
    Bad(_with(2, np.int32([0, 1])), r"saw shapes: \[10,2\] vs. \[2\]", when="run"),
    Bad(_with(2, np.int32([[0, 1]])), "labels_values is not a vector", when="run"),
    Bad(_with(1, INDICES[0]), "labels_indices is not a matrix", when="run"),
    Bad(_with(1, INDICES[::-1].copy()), "label SparseTensor is not valid: .*out of order"),
    Bad(_with(1, INDICES + 1), r"not valid: indices\[6\] = \[4,1\] is out of bounds", when="run"),
    Bad(_with(0, np.zeros([7, 4], np.float32)), "inputs is not a 3-Tensor", when="run"),
    Bad(_with(0, np.zeros([0, 4, 5], np.float32)), "Max time or first dimension", when="run"),
    Bad(_with(0, np.zeros([7, 4], np.float32)), "Shape must be rank 3 but is", when="build"),
    Bad(lambda v: labelled(v, ([0], [1], [], [2])), "Labels length is zero in batch 2", when="run"),
    Bad(lambda v: labelled(v, ([0], [1, -1], [0], [2])), "integers, batch: 1 labels: 1,-1"),
    Bad(lambda v: labelled(v, ([0], [1, 4, 1], [0], [2])), "following a null label, batch: 1"),
)
GREEDY_BAD = (
    Bad(lambda v: decoded(v, (9, 4)), r"\(sequence_length\):  2 batch_size: 3", when="run"),
    Bad(lambda v: decoded(v, (9, 4, 10)), r"sequence_length\(2\) <= 9", when="run"),
    Bad(lambda v: decoded(v, [(9, 4, 0)]), "sequence_length is not a vector", when="run"),
    Bad(lambda v: decoded(v, (9, 4, 0), (9, 3)), "inputs is not a 3-Tensor", when="run"),
    Bad(lambda v: decoded(v, (0, 0, 0), (0, 3, 5)), "inputs must not be empty", when="run"),
    Bad(lambda v: decoded(v, (9, 4)), "Dimensions must be equal, but are 3 and 2", when="build"),
)
BEAM_BAD = (
    *GREEDY_BAD,
    Bad(decoded, "requested more paths", attrs={"beam_width": 2, "top_paths": 3}, when="run"),
    Bad(
        lambda v: decoded(v, (1, 0, 1)),
        "Less leaves in the beam search than requested",
        attrs={"beam_width": 3, "top_paths": 2},
        when="run",
    ),
)

# TensorFlow keeps logarithms of sums in float32, whatever the type of the logits.
SINGLE = 1e-5

CASES = [
    *(
        Case(
            "CTCLoss",
            labelled,
            attrs={"ctc_merge_repeated": merges, "preprocess_collapse_repeated": collapses},
            gradients=(0,),
            # The second output is the gradient of the first, and has none.
            outputs=(0,),
            rtol=SINGLE,
            label=f"{merges}{collapses}",
            bad=LOSS_BAD if merges and not collapses else (),
        )
        for merges in (True, False)
        for collapses in (False, True)
    ),
    Case("CTCLoss", labelled, label="and its gradient", rtol=SINGLE),
    Case(
        "CTCLoss",
        lambda v: labelled(v, lengths=(2, 0, 3, 6)),
        attrs={"ignore_longer_outputs_than_inputs": True},
        label="too short",
        rtol=SINGLE,
    ),
    Case(
        "CTCLoss",
        # Two equal labels need three frames; a label beyond the others stands for none.
        lambda v: labelled(v, ([1, 1], [2, 4]), (2, 7), (7, 2, 5)),
        rtol=SINGLE,
        label="odd",
    ),
    Case("CTCLoss", lambda v: labelled(v, ([0],), (1,), (1, 1, 2)), rtol=SINGLE, label="one frame"),
    Case(
        "CTCLoss",
        lambda v: [20 * labelled(v)[0], *labelled(v)[1:]],
        ("float64",),
        label="unlikely",
        rtol=SINGLE,
    ),
    *(
        Case(
            "CTCGreedyDecoder",
            decoded,
            attrs={"merge_repeated": merges, "blank_index": blank},
            label=f"{merges}{blank}",
            bad=(
                *GREEDY_BAD,
                Bad(decoded, "between -5 and 4 but was 5", attrs={"blank_index": 5}, when="run"),
                Bad(decoded, "between -5 and 4 but was -6", attrs={"blank_index": -6}, when="run"),
            ),
        )
        for merges in (False, True)
        for blank in (-1, 0, -2)
    ),
    *(
        Case(
            "CTCBeamSearchDecoder",
            lambda v, s=shape, n=lengths: decoded(v, n, s),
            attrs={"beam_width": width, "top_paths": paths, "merge_repeated": merges},
            rtol=SINGLE,
            label=f"{width} {paths} {merges} {shape}",
            bad=BEAM_BAD if shape == DECODED and paths == 1 else (),
        )
        for width, paths, merges, shape, lengths in (
            (1, 1, True, DECODED, (9, 4, 0)),
            (3, 2, False, DECODED, (9, 4, 7)),
            (7, 5, True, DECODED, (9, 4, 5)),
            (100, 20, False, (14, 2, 4), (14, 11)),
            (16, 6, False, (30, 4, 11), (30, 29, 12, 3)),
            (6, 1, False, (9, 2, 1), (9, 2)),
        )
    ),
]
