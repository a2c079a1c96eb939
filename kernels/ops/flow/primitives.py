"""Kernels of the control flow primitives, as far as values go; the executor knows the rest.

An output that a node leaves dead is None, and so is an input that has not arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import AbortedError, InvalidArgumentError
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("Switch", "RefSwitch", host_inputs=("pred",))
def switch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The data on the output that the predicate names."""

    def run(data: Any, pred: Any) -> tuple[Any, Any]:
        _check_scalar(pred)
        return (None, data) if pred else (data, None)

    return run


@kernel("_SwitchN", host_inputs=("output_index",))
def switch_n(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The data on the output of that number, on the last one if there is none."""
    count = len(node.output_dtypes)

    def run(data: Any, output_index: Any) -> tuple[Any, ...]:
        _check_scalar(output_index)
        taken = int(output_index)
        if not 0 <= taken < count:
            taken = count - 1
        return tuple([data if i == taken else None for i in range(count)])

    return run


def _check_scalar(pred: Any) -> None:
    if np.ndim(pred):
        raise InvalidArgumentError(
            None,
            None,
            f"The second input must be a scalar, but it has shape {shape_text(np.shape(pred))}",
        )


@kernel("Merge", "RefMerge", host_outputs=("value_index",))
def merge(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The input that has arrived, and its index."""

    def run(*inputs: Any) -> tuple[Any, Any]:
        for index, value in enumerate(inputs):
            if value is not None:
                return value, np.int32(index)
        raise InvalidArgumentError(None, None, "No input of the Merge has arrived.")

    return run


@kernel(
    *("Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "RefIdentity"),
)
def pass_on(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The input itself."""
    return lambda value: value


@kernel("LoopCond", host_inputs=("input",), host_outputs=("output",))
def loop_cond(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The condition itself."""
    return lambda value: value


@kernel("RefSelect", host_inputs=("index",))
def ref_select(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The reference of that number."""
    count = len(node.input_dtypes) - 1

    def run(index: Any, *references: Any) -> Any:
        if np.ndim(index):
            raise InvalidArgumentError(
                None,
                None,
                f"Index must be a scalar, but it has shape {shape_text(np.shape(index))}",
            )
        if not 0 <= index < count:
            raise InvalidArgumentError(
                None, None, f"Index must be in the range [0, {count}) but got {int(index)}"
            )
        return references[int(index)]

    return run


@kernel("ControlTrigger")
def control_trigger(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Nothing."""
    return lambda: None


@kernel("Abort")
def abort(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Ends the step; the process, which TensorFlow ends, may serve others."""
    text = node.attr("error_msg").decode(errors="replace")

    def run() -> None:
        raise AbortedError(None, None, f"Abort_op intentional failure; {text}")

    return run
