"""Training loops inside of a step, as they are written for TPUs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import dataflow.control_flow.while_loop as loops
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import tuple as gated


def while_loop(
    condition: Callable[..., Any],
    body: Callable[..., Any],
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    name: str | None = None,
) -> Any:
    """Runs a body as long as a condition holds, one run after the other.

    Args:
      condition: Takes the values, and gives a bool, scalar.
      body: Takes the values, and gives new ones and behind them operations, which run, too.
      inputs: The first values; there are none if None.
      infeed_queue: Must be None: only a TPU has one.
      name: Not used.

    Returns:
      The last values: a tensor or a list of tensors.

    Raises:
      TypeError: A function takes another number of values, or types of values change.
      ValueError: An operation stands before a value.
      NotImplementedError: There is a queue.
    """
    if infeed_queue is not None:
        raise NotImplementedError("infeed_queue feeds TPUs, and there is none here.")
    values = [convert_to_tensor(each) for each in inputs or []]
    for function, what in ((body, "body"), (condition, "condition")):
        if not _takes(function, len(values)):
            raise TypeError(
                f"Supplied loop {what} function cannot be called with the specified inputs. You "
                f"specified {len(values)} inputs: {[each.op.name for each in values]}"
            )

    def step(*args: Any) -> Any:
        given = body(*args[: len(values)])
        found = [
            each if isinstance(each, Operation) else convert_to_tensor(each)
            for each in (given if isinstance(given, (list, tuple)) else [given])
        ]
        operations = [each for each in found if isinstance(each, Operation)]
        tensors: list[Any] = [each for each in found if not isinstance(each, Operation)]
        if found != tensors + operations:
            raise ValueError(
                "TPU training loop body must return zero or more Tensor values followed by zero or "
                "more Operations."
            )
        before, after = [each.dtype for each in values], [each.dtype for each in tensors]
        if before != after:
            raise TypeError(
                "Mismatch between input types and output types for training loop body: "
                f"{before} vs {after}"
            )
        tensors = tensors or [constant(0)]
        return gated(tensors, control_inputs=operations) if operations else tensors

    return loops.while_loop(
        lambda *args: condition(*args[: len(values)]),
        step,
        values or [constant(0)],
        name="",
        parallel_iterations=1,
    )


def repeat(
    n: Any,
    body: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: Any = None,
    name: str | None = None,
) -> Any:
    """Runs a body `n` times; see `while_loop`.

    Returns:
      The last values in a list; an operation if there are none.
    """

    def step(turn: Any, *args: Any) -> Any:
        return [turn + 1, *_listed(body(*args))]

    first = [0] if inputs is None else [0, *_listed(inputs)]
    found = _listed(while_loop(lambda turn, *_: turn < n, step, first, infeed_queue, name))
    return found[0].op if len(found) == 1 else found[1:]


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _takes(function: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True
