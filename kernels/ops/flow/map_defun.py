"""Kernel that applies a function to each row of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dataflow.errors import CancelledError, InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.datasets.run import Call, Captured, Run, start_thread
from dataflow.kernels.lists.stacking import numpy_type, slices_of, stack_elements
from dataflow.kernels.queues.waiting import Done, Waiter


@kernel("MapDefun", device="CPU", blocking=True, grows=True)
def map_defun(node: KernelNode, xp: Any) -> Callable[..., None]:
    """Calls on the step's thread, or on one of their own if the function may wait."""
    count, function = len(node.attr("Targuments")), node.function("f")
    types, results = node.input_dtypes[:count], tuple(node.attr("output_types"))
    shapes = [shape.dims_tuple for shape in node.attr("output_shapes")]

    def finish(rows: list[list[Any]]) -> Any:
        stacked = []
        for place, (dtype, dims) in enumerate(zip(results, shapes, strict=True)):
            if rows:
                stacked.append(stack_elements(np, [row[place] for row in rows], dtype))
            elif dims is None or None in dims:
                raise InternalError(None, None, f"Missing {place}-th output from {node.name}")
            else:
                stacked.append(np.empty((0, *dims), numpy_type(dtype)))
        return stacked[0] if len(stacked) == 1 else tuple(stacked)

    def check(row: list[Any], first: list[Any]) -> None:
        if len(row) != len(results):
            raise invalid(
                f"The function has {len(row)} results, where {len(results)} were expected."
            )
        for place, (value, dims) in enumerate(zip(row, shapes, strict=True)):
            found = np.shape(value)
            expected = np.shape(first[place])
            if dims is not None and not _fits(dims, found):
                expected = dims
            if found != expected:
                raise invalid(
                    f"Mismatch in function retval shape, {shape_text(found)}, and expected output "
                    f"shape, {shape_text(expected)}."
                )
            kind = numpy_type(results[place])
            if getattr(value, "dtype", kind) != kind:
                raise invalid(
                    f"Mismatch in function return type and expected output type for output: {place}"
                )

    def compute(call: Call, columns: Sequence[Any]) -> Any:
        rows: list[list[Any]] = []
        for row in zip(*map(slices_of, columns, types), strict=True):
            rows.append(call(tuple(row)))
            check(rows[-1], rows[0])
        return finish(rows)

    def run(step: Waiter, done: Done, *values: Any) -> None:
        columns = values[:count]
        _check_rows(columns)
        calls = Run()
        call = calls.function(Captured(function, values[count:]), "MapDefun")
        withdraw = step.on_cancel(
            partial(calls.stop, CancelledError(None, None, "MapDefun was cancelled"))
        )

        def work() -> None:
            try:
                result = compute(call, columns)
            except Exception as error:
                withdraw()
                done(error=error)
            else:
                withdraw()
                done(result)

        if call.may_wait:
            start_thread(work, "MapDefun")
        else:
            work()

    return run


def _fits(dims: tuple[int | None, ...], found: tuple[int, ...]) -> bool:
    return len(dims) == len(found) and all(d in (None, f) for d, f in zip(dims, found, strict=True))


def _check_rows(columns: Sequence[Any]) -> None:
    for place, column in enumerate(columns):
        if not np.ndim(column):
            raise invalid(f"All inputs must have rank at least 1. Input {place} has a rank of 0.")
        if len(column) != len(columns[0]):
            raise invalid(
                f"All inputs must have the same dimension 0. Input {place} has leading dimension "
                f"{len(column)}, while all previous inputs have leading dimension "
                f"{len(columns[0])}"
            )
