"""The kernel that follows beams from their last steps to the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_AXES: Final = "(batch, time, beam)"


@kernel("GatherTree", device="CPU")
def gather_tree(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(steps: Any, parents: Any, lengths: Any, end: Any) -> Any:
        _check(steps, parents, lengths, end)
        counts = np.arange(len(steps))[:, None, None] < lengths[:, None]
        found = np.where(counts, _followed(steps, parents, counts), end)
        # From the first end token on there are only end tokens.
        found[np.logical_or.accumulate(found == end, axis=0)] = end
        return found

    return run


def _check(steps: Any, parents: Any, lengths: Any, end: Any) -> None:
    for name, value, rank, kind in (
        ("step_ids", steps, 3, "3-tensor"),
        ("max_sequence_lengths", lengths, 1, "vector"),
        ("end_token", end, 0, "scalar"),
    ):
        if np.ndim(value) != rank:
            shape = shape_text(np.shape(value))
            raise invalid(f"{name} must be a {kind}, saw shape: {shape}")
    if steps.shape != parents.shape:
        raise invalid(
            "step_ids.shape must match parent_ids.shape.  but shapes are: "
            f"{shape_text(steps.shape)} and {shape_text(parents.shape)}"
        )
    if steps.shape[1] != lengths.shape[0]:
        raise invalid(
            "batch size dimensions step_ids.shape[1] and max_sequence_lengths.shape[0] must match."
            f"  but shapes are: {shape_text(steps.shape)} and {shape_text(lengths.shape)}"
        )


def _followed(steps: Any, parents: Any, counts: Any) -> Any:
    """The tokens of each beam in all steps.

    Raises:
      InvalidArgumentError: A beam comes from none that there is.
    """
    time, batch, beams = steps.shape
    parents = np.where(counts, parents, np.arange(beams, dtype=parents.dtype))
    wrong = (parents < 0) | (parents >= beams)
    some_are_wrong = bool(wrong.any())
    first = beams * np.arange(batch)[:, None]
    places = first + (np.where(wrong, 0, parents) if some_are_wrong else parents)
    found = np.empty_like(steps)
    lost: dict[int, str] = {}
    at = first + np.arange(beams)
    for step in reversed(range(time)):
        steps[step].take(at, out=found[step])
        if some_are_wrong and step:
            for beam in np.flatnonzero(wrong[step].take(at)).tolist():
                where = f"({beam // beams}, {step - 1}, {beam % beams})"
                lost.setdefault(beam, f"{parents[step].take(at).flat[beam]} at {_AXES} == {where}")
        at = places[step].take(at)
    if lost:
        raise invalid(f"Saw invalid parent id {lost[min(lost)]}")
    return found
