"""tensorflow.python.ops.functional_ops: branches and loops of functions that are defined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow import raw_ops
from dataflow.graph.operation import Operation
from dataflow.library.defun import Defun
from dataflow.library.defun_graph import get_extra_args
from dataflow.proto.attr_value_pb2 import AttrValue


def If(cond: Any, inputs: Any, then_branch: Any, else_branch: Any, name: str | None = None) -> Any:
    """What one of two functions of the inputs makes, the first if a scalar is true."""
    return raw_ops.If(
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
    return raw_ops.SymbolicGradient(input=inputs, Tout=types, f=f, name=name)


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
        cond, body = wrapper(lambda *args: cond(*args[:taken])), _with_captured(body)
    found = raw_ops.While(input=inputs + captured, cond=cond, body=body, name=name)
    return _finished(found, len(captured), hostmem, 0)


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
      rewrite_with_while: Accepted: the op has a kernel everywhere.
    """
    captured = list(body.captured_inputs)
    found = raw_ops.For(
        start=start,
        limit=limit,
        delta=delta,
        input=[*inputs, *captured],
        body=_with_captured(body) if captured else body,
        name=name,
    )
    return _finished(found, len(captured), hostmem, 3)


def _types(args: Any) -> list[Any]:
    return [each.type for each in args]


def _with_captured(body: Any) -> Any:
    """A function that captures what a body does, and makes that too."""

    def run(*args: Any) -> Any:
        made = body(*args)
        if isinstance(made, Operation):
            made = ()
        return (*(made if isinstance(made, tuple) else (made,)), *get_extra_args())

    return Defun(*body.declared_input_types, func_name=f"{body.name}_Wrapper")(run)


def _finished(found: Any, captured: int, hostmem: Sequence[int] | None, others: int) -> Any:
    """The results without what was captured; their node says what is in the host's memory."""
    if hostmem:
        for name, first in (("_input_hostmem", others), ("_output_hostmem", 0)):
            value = AttrValue()
            value.list.i.extend(first + each for each in hostmem)
            found[0].op._set_attr(name, value)
    return found[: len(found) - captured] if captured else found
