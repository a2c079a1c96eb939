"""How functions of numpy's are put in instructions of the machine, each to the bit.

Exponentials and the like are not among them: the machine takes them from the C library, numpy has
its own, and the values of a program would depend on how often it has run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.fusion.small.code import Code, UnsupportedError
from dataflow.actors.fusion.small.machine import DTYPES
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.elementwise.formula import Step, steps_told

Express = Callable[..., int]
"""Takes the code and the values of the operands; gives the value of the result."""

_CAST: Final = Step("cast", (0,))


def steps_of(node: PlanNode) -> tuple[Step, ...]:
    """What a node does, in functions that can be written for some types; nothing if it cannot."""
    if node.op == "Cast":
        return (_CAST,)
    call: Any = node.call
    is_one = type(call) is np.ufunc
    steps = (Step(call.__name__, tuple(range(len(node.inputs)))),) if is_one else steps_told(call)
    return steps if all(step.function in _BY_NAME for step in steps) else ()


def is_strict(node: PlanNode) -> bool:
    """True if the inputs of a node must have one shape: it does not broadcast."""
    return len(node.inputs) > 1 and not node.broadcasts


def express(code: Code, steps: Sequence[Step], inputs: Sequence[int], dtype: np.dtype) -> int:
    """Writes what a kernel does.

    Args:
      code: Where to.
      steps: What is done.
      inputs: The values it takes.
      dtype: Element type of its output.

    Raises:
      UnsupportedError: It cannot be written, or not for these types.
    """
    values = list(inputs)
    like = next((value for value in inputs if code.types[value] != "b"), inputs[0])
    for step in steps:
        operands = [
            values[o] if isinstance(o, int) else code.number(float.fromhex(o), like)
            for o in step.operands
        ]
        made = (
            _cast(code, operands[0], dtype)
            if step == _CAST
            else _BY_NAME[step.function](code, *operands)
        )
        values.append(made)
    if DTYPES[code.types[values[-1]]] != dtype:
        raise UnsupportedError
    return values[-1]


def _one(base: str) -> Express:
    return lambda code, x: code.apply(base, x)


def _two(base: str) -> Express:
    return lambda code, x, y: code.apply(base, x, y)


def _floats(base: str) -> Express:
    """An instruction that does something else, or nothing, for integers."""

    def run(code: Code, *operands: int) -> int:
        _need_float(code, operands[0])
        return code.apply(base, *operands)

    return run


def _need_float(code: Code, value: int) -> None:
    if code.types[value] not in "fd":
        raise UnsupportedError


def _test(base: str, swapped: bool = False) -> Express:
    def run(code: Code, x: int, y: int) -> int:
        return code.apply(base, *((y, x) if swapped else (x, y)), result="b")

    return run


_less, _greater = _test("gt", swapped=True), _test("gt")
_at_least, _at_most = _test("ge"), _test("ge", swapped=True)


def _extreme(beyond: Express, reaches: Express) -> Express:
    """The larger or the smaller value: NaN if one is NaN, and the second of two zeros.

    The machine's own instruction calls a function for each element, which takes five times as long
    as comparisons.
    """

    def run(code: Code, x: int, y: int) -> int:
        if _is_number(code, y):
            return code.apply("where", reaches(code, y, x), y, x)
        takes_x = beyond(code, x, y)
        if code.types[x] in "fd" and not _is_number(code, x):
            takes_x = code.apply("or", takes_x, code.apply("ne", x, x, result="b"))
        return code.apply("where", takes_x, x, y)

    return run


def _is_number(code: Code, value: int) -> bool:
    """True for a constant that is not NaN."""
    constant = code.constants.get(value)
    return constant is not None and bool(constant == constant)


_maximum, _minimum = _extreme(_greater, _at_least), _extreme(_less, _at_most)


def _absolute(code: Code, x: int) -> int:
    """0 - x is no negative zero."""
    zero = code.number(0, x)
    return code.apply("where", _at_least(code, zero, x), code.apply("sub", zero, x), x)


def _sign(code: Code, x: int) -> int:
    """1, -1, 0 for both zeros, or NaN."""
    zero, one = code.number(0, x), code.number(1, x)
    at_zero = code.apply("where", code.apply("eq", x, zero, result="b"), zero, x)
    not_above = code.apply("where", _less(code, x, zero), code.number(-1, x), at_zero)
    return code.apply("where", _greater(code, x, zero), one, not_above)


def _cast(code: Code, x: int, dtype: np.dtype) -> int:
    """Widens; nothing that could lose something."""
    source, target = code.types[x], next((c for c, known in DTYPES.items() if known == dtype), "")
    if source == target:
        return x
    if source + target not in ("bi", "bl", "bf", "bd", "il", "if", "id", "lf", "ld", "fd"):
        raise UnsupportedError
    if source == "b" and target != "i":
        x = code.apply("cast", x, result="i")
    return code.apply("cast", x, result=target)


def _multiply(code: Code, x: int, y: int) -> int:
    """A number may be multiplied by a truth value: an infinity times false is NaN."""
    kinds = [code.types[x], code.types[y]]
    if "b" in kinds:
        x, y = (_cast(code, value, DTYPES[max(kinds, key="bilfd".index)]) for value in (x, y))
    return code.apply("mul", x, y)


def _square(code: Code, x: int) -> int:
    return code.apply("mul", x, x)


def _reciprocal(code: Code, x: int) -> int:
    _need_float(code, x)
    return code.apply("div", code.number(1, x), x)


def _choose(code: Code, condition: int, x: int, y: int) -> int:
    return code.apply("where", condition, x, y)


_BY_NAME: Final[Mapping[str, Express]] = {
    "absolute": _absolute,
    "add": _two("add"),
    "cast": _cast,
    "ceil": _one("ceil"),
    "divide": _floats("div"),
    "equal": _test("eq"),
    "floor": _floats("floor"),
    "fmod": _floats("fmod"),
    "greater": _greater,
    "greater_equal": _at_least,
    "less": _less,
    "less_equal": _at_most,
    "logical_and": _two("and"),
    "logical_not": _one("invert"),
    "logical_or": _two("or"),
    "maximum": _maximum,
    "minimum": _minimum,
    "multiply": _multiply,
    "negative": _one("neg"),
    "not_equal": _test("ne"),
    "reciprocal": _reciprocal,
    "sign": _sign,
    "sqrt": _floats("sqrt"),
    "square": _square,
    "subtract": _two("sub"),
    "where": _choose,
}
