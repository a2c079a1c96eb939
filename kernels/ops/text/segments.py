"""Kernel that joins strings by segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import OutOfRangeError, ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel

_MOST: Final = 1 << 27


@kernel(
    "UnsortedSegmentJoin",
    host_inputs=("inputs", "segment_ids", "num_segments"),
    host_outputs=("output",),
)
def unsorted_segment_join(node: KernelNode, xp: Any) -> Callable[..., Any]:
    separator = node.attr("separator")

    def run(inputs: Any, segment_ids: Any, num_segments: Any) -> Any:
        strings, numbers = np.asarray(inputs, object), np.asarray(segment_ids)
        if np.ndim(num_segments):
            raise invalid("Number of segments must be a scalar")
        count = int(num_segments)
        if count < 0:
            raise invalid(f"Number of segments must be non-negative but got {count}")
        if not numbers.ndim:
            raise invalid("Segment_id cannot have rank 0")
        if numbers.ndim > strings.ndim:
            raise OutOfRangeError(
                None,
                None,
                f"Invalid segment_id rank {numbers.ndim} for input with {strings.ndim} "
                "dimension(s)",
            )
        for place, (mine, other) in enumerate(zip(numbers.shape, strings.shape, strict=False)):
            if mine != other:
                raise invalid(
                    f"Segment dimension is {mine} while input dimension is {strings.ndim} in rank "
                    f"{place}"
                )
        if ((numbers < 0) | (numbers >= count)).any():
            raise invalid(
                "segment_ids are not allowed to exceed num_segments or to have negative values."
            )
        inner = strings.shape[numbers.ndim :]
        columns = strings.reshape(numbers.size, -1) if strings.size else strings.reshape(0, 0)
        width = int(np.prod(inner))
        if count * width > _MOST:
            raise ResourceExhaustedError(
                None, None, f"{count} segments of {width} strings would take too much memory"
            )
        made = np.full((count, width), b"", object)
        order = np.argsort(numbers.ravel(), kind="stable")
        ordered = numbers.ravel()[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        for begin, end in zip(starts.tolist(), [*starts[1:].tolist(), ordered.size], strict=True):
            rows = columns[order[begin:end]]
            made[ordered[begin]] = [separator.join(column) for column in rows.T.tolist()]
        return made.reshape(count, *inner)

    return run
