"""A cluster as one node of its plan: its function, and what to do where that refuses values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.compiled.draft import Draft
from dataflow.actors.fusion.merged_nodes import MergedNode, inputs_of
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.step.step import Step
from dataflow.kernels.memory import aligned
from dataflow.kernels.native.compiled import WORTH, compiled, run_in_parts
from dataflow.kernels.native.price import price_of
from dataflow.kernels.native.program import DTYPES, Program

_MOST_REFUSALS: Final = 16
"""Values that did not fit one after the other, after which it is not tried any more."""
_SMALL: Final = 1 << 14
"""Bytes up to which it does not matter where an array begins."""
_SHARE: Final = 0.3
"""About what a program takes of the time of its nodes."""


class CompiledNode(MergedNode):
    """Nodes of a plan as one."""

    __slots__ = ()

    def __init__(self, nodes: Sequence[PlanNode], made: Draft, lines: Lines) -> None:
        """Compiles the nodes.

        Args:
          nodes: In the order to run them.
          made: What they do.
          lines: Where the lines of code that runs them one by one are written down.
        """
        inputs = inputs_of(nodes)
        one_by_one = OneByOne(nodes, inputs, made.outputs, lines)
        size = math.prod(nodes[0].seen[-1].shape)
        run = _runner(made, inputs, size, _Otherwise(one_by_one))
        super().__init__(nodes, run, inputs, made.outputs)
        self.cost = _SHARE * sum(node.cost for node in nodes)


class _Otherwise:
    """Runs the nodes one by one, and counts how often that was necessary."""

    def __init__(self, one_by_one: OneByOne) -> None:
        self._one_by_one = one_by_one
        self.left = _MOST_REFUSALS

    def __call__(self, step: Step, *values: Any) -> Any:
        self.left -= 1
        return self._one_by_one(step, values)


def _runner(
    made: Draft, inputs: Sequence[int], size: int, otherwise: _Otherwise
) -> Callable[..., Any]:
    """The function of a step and the inputs."""
    program = made.program
    names: dict[str, Any] = {
        "compiled": compiled(program, made.held),
        "otherwise": otherwise,
        "ascontiguousarray": np.ascontiguousarray,
        "refusals": _MOST_REFUSALS,
    }
    price = price_of(program)
    values = {slot: f"v{number}" for number, slot in enumerate(inputs)}
    given = ", ".join(["step", *values.values()])
    lines = [f"def run({given}):", " if otherwise.left <= 0:", f"  return otherwise({given})"]
    operands = []
    arrays = {n: one for n, one in enumerate(program.operands) if one.is_array}
    is_outer = all(len(one.extent) < program.rank for one in arrays.values())
    back = ""
    if made.order is not None:
        names["order"] = made.order
        names["back"] = tuple(sorted(range(program.rank), key=made.order.__getitem__))
        back = ".transpose(back)"
    for number, (slot, adapter) in enumerate(made.given):
        text = values[slot]
        if adapter is not None:
            names[f"a{number}"] = adapter
            lines.append(f" x{number} = a{number}({text})")
            text = f"x{number}"
        if number in arrays and (back or is_outer):
            # Its guard is asked when there is something to write to.
            lines.append(f" if {text}.ndim != {len(arrays[number].axes)}:")
            lines.append(f"  return otherwise({given})")
        if (slot, adapter) in made.copied:
            lines.append(f" z{number} = ascontiguousarray({text})")
            text = f"z{number}"
        if back and number in arrays and arrays[number].extent:
            lines.append(f" y{number} = {text}.transpose(order)")
            text = f"y{number}"
        operands.append(text)
    lines.append(f" shape = {_shape(program, operands)}")
    results = []
    for number, place in enumerate(program.results):
        dtype = DTYPES[program.dtype_of(place)]
        names[f"t{number}"] = dtype
        names[f"empty{number}"] = np.empty if size * dtype.itemsize < _SMALL else aligned.empty
        lines.append(f" o{number} = empty{number}(shape, t{number})")
        results.append(f"o{number}")
    given_back = [results[number] + back for number in made.results]
    call = f"compiled({', '.join([*results, *operands])})"
    if price.of(size) >= WORTH:
        names["price"] = price.of
        names["compiled"] = functools.partial(run_in_parts, names["compiled"])
        call = f"compiled(price(o0.size), {', '.join([*results, *operands])})"
    lines += [
        f" if not {call}:",
        f"  return otherwise({given})",
        " otherwise.left = refusals",
        f" return {given_back[0] if len(given_back) == 1 else f'[{chr(44).join(given_back)}]'}",
    ]
    exec(compile("\n".join(lines), "<dataflow program>", "exec"), names)
    run: Callable[..., Any] = names["run"]
    return run


def _shape(program: Program, operands: Sequence[str]) -> str:
    """The expression of the results' shape."""
    arrays = [
        (text, operand)
        for text, operand in zip(operands, program.operands, strict=False)
        if operand.is_array
    ]
    for text, operand in arrays:
        if len(operand.extent) == program.rank:
            return f"{text}.shape"
    lengths = []
    for axis in range(program.rank):
        text, operand = next(one for one in arrays if axis in one[1].extent)
        lengths.append(f"{text}.shape[{operand.axes.index(axis)}]")
    return f"({', '.join(lengths)},)"
