"""From an exception in a segment to the error a user sees: which node, where, with what inputs."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from dataflow.actors.code.interpreter import RUNNING
from dataflow.actors.step.step import Step, StepStopped
from dataflow.errors import AbortedError, CancelledError, ErrorReport, InvalidArgumentError, OpError
from dataflow.kernels.contract.invalid import explained
from dataflow.values import dtypes

if TYPE_CHECKING:
    from dataflow.actors.nodes.plan_node import Lines, PlanNode


def describe_failure(error: BaseException, lines: Lines, device: str) -> BaseException:
    """The error to report for an exception that left a segment.

    Args:
      error: The exception, with its traceback.
      lines: Those of the code that is generated for the plan.
      device: Full name of the device.

    Returns:
      An OpError that names node, device and inputs, with the exception as its cause; or `error`
      itself if it is none of a kernel's (`StepStopped`, KeyboardInterrupt).
    """
    if isinstance(error, StepStopped) or not isinstance(error, Exception):
        return error
    found = _find_frame(error.__traceback__, lines)
    if found is None:
        return describe_node_failure(error, None, (), device)
    node, values = found
    described = describe_node_failure(error, node, values, device)
    # The frames hold the step's values; whoever keeps the exception shall not keep those.
    traceback.clear_frames(error.__traceback__)
    return described


def unknown_step(step_id: int, device: str) -> AbortedError:
    """The error of a request that has to do with a step that the device does not run."""
    return AbortedError(
        None,
        None,
        f"Step id {step_id} is not running on {device}: it is over, or the task was started again "
        "since.",
    )


def describe_node_failure(
    error: BaseException, node: PlanNode | None, values: Sequence[Any], device: str
) -> OpError:
    """The error to report for an exception of a node with these input values."""
    report = ErrorReport.from_exception(explained(error, values))
    if not report.node_name and node is not None:
        report = dataclasses.replace(
            report,
            node_name=node.name,
            op_type=node.op,
            device=device,
            inputs=", ".join(map(_describe_value, values)),
        )
    described = report.to_exception()
    described.__cause__ = error
    return described


def dead_fetch(index: int, slot: int, nodes: Sequence[PlanNode]) -> InvalidArgumentError:
    """The error of a fetch whose value is dead, as TensorFlow puts it, and which tensor it is.

    Args:
      index: Number of the fetch.
      slot: Where its value would be.
      nodes: The nodes of the plan.
    """
    text = f"Retval[{index}] does not have value"
    for node in nodes:
        if node.op == "_Retval" and node.outputs == (slot,):
            name = node.sources[0].partition(":")[0]
            text += (
                f"\n\t [[{{{{node {name}}}}}]] is in a branch or loop that the step did not take."
            )
    return InvalidArgumentError(None, None, text)


def error_of_step(error: BaseException, step: Step) -> BaseException:
    """The error that a failure in a step counts as: the cancellation, if it follows from that."""
    cancelled = step.error
    if cancelled is not None and not (
        isinstance(error, OpError) and error.error_code == cancelled.error_code
    ):
        return cancelled
    return error


def cancel_step(step: Step, error: BaseException) -> None:
    """Stops the rest of a step that has failed."""
    if isinstance(error, OpError):
        step.cancel(error)
    else:
        message = f"Step was cancelled by {type(error).__name__}."
        # Who asked for the step is to hear of the error itself.
        step.told = None
        step.cancel(CancelledError(None, None, message))


def _find_frame(trace: TracebackType | None, lines: Lines) -> tuple[PlanNode, list[Any]] | None:
    """The node that was running, and its inputs as far as they are there.

    A loop's function may call others: what tells is the innermost frame.
    """
    found: TracebackType | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code in RUNNING or code in lines:
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    code = found.tb_frame.f_code
    names = found.tb_frame.f_locals
    slots = names["s"]
    if code not in RUNNING:
        node = lines[code][found.tb_lineno - 2]
    elif "node" in names:
        node = names["node"]
    else:
        return None
    values = [names.get(f"v{slot}", slots[slot]) for slot in node.inputs]
    if isinstance(names, dict):
        # Before Python 3.13 this is a copy that the frame keeps.
        names.clear()
    return node, values


def _describe_value(value: Any) -> str:
    """`float32[2,3]`; a variable by what it holds, without a shape if that is nothing."""
    if hasattr(value, "value") and hasattr(value, "dtype"):
        if value.value is None:
            return f"{dtypes.as_dtype(value.dtype).name}_ref"
        value = value.value
    if not hasattr(value, "dtype"):
        value = np.asarray(value)
    try:
        name = dtypes.as_dtype(value.dtype).name
    except TypeError:
        name = str(value.dtype)
    return f"{name}[{','.join(map(str, getattr(value, 'shape', ())))}]"
