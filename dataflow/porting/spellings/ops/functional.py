"""tensorflow.python.ops.functional_ops: branches and loops of functions that are defined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.library.defun import Defun
from dataflow.library.defun_graph import get_extra_args
from dataflow.porting.spellings.raw import op
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.values import dtypes

_LIMITS = 3
"""Inputs of `For` that say how often."""


def If(cond: Any, inputs: Any, then_branch: Any, else_branch: Any, name: str | None = None) -> Any:
    """What one of two functions of the inputs makes, the first if a scalar is true."""
    return op("If")(
        cond=cond,
        input=inputs,
        Tout=_types(then_branch.definition.signature.output_arg),
        then_branch=then_branch,
        else_branch=else_branch,
        name=name,
    )


def Gradient(inputs: Any, f: Any, name: str | None = None) -> Any:
    """The gradients of a function's inputs, of these and of the gradients of its outputs."""
    types = _types(f.definition.signature.input_arg)
    return op("SymbolicGradient")(input=inputs, Tout=types, f=f, name=name)


def While(
    input_: Sequence[Any],
    cond: Any,
    body: Any,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
) -> Any:
    """Goes on with what `body` makes of it while `cond` says so.

    Args:
      input_: What it begins with.
      cond: A function of that, which makes a tensor.
      body: A function of that, which makes as much.
      name: Of the node.
      hostmem: Which of the inputs are in the host's memory; the node says it.

    Raises:
      ValueError: `cond` captures tensors, or takes others than `body`.
    """
    if cond.captured_inputs:
        raise ValueError(
            "While op 'cond' argument must be a function without implicitly captured inputs."
        )
    if cond.declared_input_types != body.declared_input_types:
        raise ValueError(
            "While op 'cond' and 'body' signatures do not match. "
            f"{cond.declared_input_types!r} vs {body.declared_input_types!r}"
        )
    inputs, captured = list(input_), list(body.captured_inputs)
    if captured:
        types = [*body.declared_input_types, *(each.dtype for each in captured)]
        taken = len(body.declared_input_types)
        wrapper = Defun(*types, func_name=f"{cond.name}_Wrapper")
        asked = cond
        cond, body = wrapper(lambda *args: asked(*args[:taken])), _with_captured(body)
    found = op("While")(input=inputs + captured, cond=cond, body=body, name=name)
    return _finished(found, len(captured), hostmem)


def For(
    start: Any,
    limit: Any,
    delta: Any,
    inputs: Sequence[Any],
    body: Any,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
    rewrite_with_while: bool | None = None,
) -> Any:
    """Goes on with what `body` makes of a number and of it, for each number of a range.

    Args:
      start: The first number,
      limit: the one that ends the range,
      delta: and what is between two of it.
      inputs: What it begins with.
      body: A function of a number and of that, which makes as much.
      name: Of the node.
      hostmem: Which of the inputs are in the host's memory; the node says it.
      rewrite_with_while: Whether the node is a `While`.
    """
    if not rewrite_with_while:
        captured = list(body.captured_inputs)
        whole = _with_captured(body) if captured else body
        found = op("For")(
            start=start, limit=limit, delta=delta, input=[*inputs, *captured], body=whole, name=name
        )
        return _finished(found, len(captured), hostmem, _LIMITS)
    types = [dtypes.int32] * 4 + list(body.declared_input_types[1:])
    count = -((start - limit) // delta)
    counters = [convert_to_tensor(each, dtype=dtypes.int32) for each in (0, count, start, delta)]

    @Defun(*types, func_name=f"{body.name}_Cond")
    def goes_on(number: Any, end: Any, *_: Any) -> Any:
        return number < end

    @Defun(*types, func_name=f"{body.name}_Body")
    def step(number: Any, end: Any, first: Any, between: Any, *args: Any) -> Any:
        made = body(first + number * between, *args)
        return (number + 1, end, first, between, *_results(made))

    places = [len(counters) + each for each in hostmem or ()]
    return While([*counters, *inputs], goes_on, step, name, places)[len(counters) :]


def partitioned_call(
    args: Sequence[Any],
    f: Any,
    tout: Any = None,
    executing_eagerly: bool | None = None,
    config: Any = None,
    executor_type: str | None = None,
) -> Any:
    """What a function makes of tensors, parts of it on the devices that it names.

    Args:
      args: The tensors.
      f: The function.
      tout: The types of its results; None for those it declares.
      executing_eagerly: Accepted: it is a node of a graph.
      config: A ConfigProto as text that goes into the node.
      executor_type: Goes into the node.
    """
    signature = f.definition.signature
    return op("StatefulPartitionedCall" if signature.is_stateful else "PartitionedCall")(
        args=args,
        Tout=_types(signature.output_arg) if tout is None else tout,
        f=f,
        config_proto=config or "",
        executor_type=executor_type or "",
    )


def _results(made: Any) -> Sequence[Any]:
    """What a call of a function gives, as a sequence; it gives its operation for nothing."""
    if isinstance(made, Operation):
        return ()
    return made if isinstance(made, (list, tuple)) else (made,)


def _types(args: Any) -> list[Any]:
    return [each.type for each in args]


def _with_captured(body: Any) -> Any:
    """A function that captures what a body does, and makes that too."""

    def run(*args: Any) -> Any:
        return (*_results(body(*args)), *get_extra_args())

    return Defun(*body.declared_input_types, func_name=f"{body.name}_Wrapper")(run)


def _finished(found: Any, captured: int, hostmem: Sequence[int] | None, before: int = 0) -> Any:
    """The results without what was captured; their node says what is in the host's memory.

    `before`: how many inputs stand before those that have results.
    """
    if hostmem:
        for name, first in (("_input_hostmem", before), ("_output_hostmem", 0)):
            value = AttrValue()
            value.list.i.extend(first + place for place in hostmem)
            found[0].op._set_attr(name, value)
    return found[: len(found) - captured] if captured else found
