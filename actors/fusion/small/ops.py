"""How elementwise ops are put in instructions of the machine, each to the bit what its kernel does.

Exponentials and the like are not among them: the machine takes them from the C library, numpy has
its own, and the values of a program would depend on how often it has run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from dataflow.actors.fusion.small.code import Code, UnsupportedError
from dataflow.actors.fusion.small.machine import DTYPES
from dataflow.kernels.ops.nn.activation import SELU_SCALE, SELU_SCALE_ALPHA

Express = Callable[..., int]
"""Takes the code and the values of the inputs; gives the value of the output."""

STRICT: Final = frozenset(
    {
        "AccumulateNV2",
        "AddN",
        "ClipByValue",
        "EluGrad",
        "InvGrad",
        "ReciprocalGrad",
        "Relu6Grad",
        "ReluGrad",
        "RsqrtGrad",
        "Select",
        "SeluGrad",
        "SigmoidGrad",
        "SoftsignGrad",
        "SqrtGrad",
        "TanhGrad",
    }
)
"""Ops whose inputs must have one shape: they do not broadcast."""


def express(code: Code, op: str, inputs: Sequence[int], dtype: np.dtype) -> int:
    """Writes an op.

    Args:
      code: Where to.
      op: Its type.
      inputs: The values it takes.
      dtype: Element type of its output.

    Raises:
      UnsupportedError: It cannot be written, or not for these types.
    """
    if op == "Cast":
        made = _cast(code, inputs[0], dtype)
    elif op in _BY_OP:
        made = _BY_OP[op](code, *inputs)
    else:
        raise UnsupportedError
    if DTYPES[code.types[made]] != dtype:
        raise UnsupportedError
    return made


def is_known(op: str) -> bool:
    """True for ops that can be written, at least for some types."""
    return op == "Cast" or op in _BY_OP


def _one(base: str) -> Express:
    return lambda code, x: code.apply(base, x)


def _two(base: str) -> Express:
    return lambda code, x, y: code.apply(base, x, y)


def _floats(base: str) -> Express:
    """An instruction of two operands that does something else, or nothing, for integers."""

    def run(code: Code, x: int, y: int) -> int:
        _need_float(code, x)
        return code.apply(base, x, y)

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


def _times_mask(code: Code, x: int, mask: int) -> int:
    """A number times a truth value: an infinity times false is NaN."""
    return code.apply("mul", x, _cast(code, mask, DTYPES[code.types[x]]))


def _square(code: Code, x: int) -> int:
    return code.apply("mul", x, x)


def _squared_difference(code: Code, x: int, y: int) -> int:
    return _square(code, code.apply("sub", x, y))


def _reciprocal(code: Code, x: int) -> int:
    _need_float(code, x)
    return code.apply("div", code.number(1, x), x)


def _rsqrt(code: Code, x: int) -> int:
    return _reciprocal(code, code.apply("sqrt", x))


def _unless_zero(base: str) -> Express:
    """x op y, and 0 where y is 0."""

    def run(code: Code, x: int, y: int) -> int:
        _need_float(code, x)
        zero = code.number(0, x)
        done = code.apply(base, x, y)
        return code.apply("where", code.apply("eq", y, zero, result="b"), zero, done)

    return run


def _floor_of_quotient(code: Code, x: int, y: int) -> int:
    _need_float(code, x)
    return code.apply("floor", code.apply("div", x, y))


def _sum(code: Code, first: int, *others: int) -> int:
    total = first
    for other in others:
        total = code.apply("add", total, other)
    return total


def _clip(code: Code, x: int, low: int, high: int) -> int:
    return _maximum(code, _minimum(code, x, high), low)


def _relu(code: Code, x: int) -> int:
    return _maximum(code, x, code.number(0, x))


def _relu_grad(code: Code, g: int, x: int) -> int:
    return _times_mask(code, g, _greater(code, x, code.number(0, x)))


def _relu6(code: Code, x: int) -> int:
    return _minimum(code, _relu(code, x), code.number(6, x))


def _relu6_grad(code: Code, g: int, x: int) -> int:
    inside = code.apply(
        "and",
        _greater(code, x, code.number(0, x)),
        _less(code, x, code.number(6, x)),
    )
    return _times_mask(code, g, inside)


def _sigmoid_grad(code: Code, y: int, g: int) -> int:
    _need_float(code, y)
    rest = code.apply("sub", code.number(1, y), y)
    return code.apply("mul", code.apply("mul", g, y), rest)


def _tanh_grad(code: Code, y: int, g: int) -> int:
    _need_float(code, y)
    return code.apply("mul", g, code.apply("sub", code.number(1, y), _square(code, y)))


def _sqrt_grad(code: Code, y: int, g: int) -> int:
    _need_float(code, y)
    return code.apply("div", code.apply("mul", g, code.number(0.5, g)), y)


def _rsqrt_grad(code: Code, y: int, g: int) -> int:
    _need_float(code, y)
    scaled = code.apply("mul", g, code.apply("mul", y, code.number(-0.5, y)))
    return code.apply("mul", scaled, _square(code, y))


def _reciprocal_grad(code: Code, y: int, g: int) -> int:
    _need_float(code, y)
    return code.apply("mul", code.apply("neg", g), _square(code, y))


def _softsign_divisor(code: Code, x: int) -> int:
    _need_float(code, x)
    return code.apply("add", _absolute(code, x), code.number(1, x))


def _softsign(code: Code, x: int) -> int:
    return code.apply("div", x, _softsign_divisor(code, x))


def _softsign_grad(code: Code, g: int, x: int) -> int:
    return code.apply("div", g, _square(code, _softsign_divisor(code, x)))


def _elu_grad(code: Code, g: int, y: int) -> int:
    _need_float(code, y)
    slope = code.apply("add", _minimum(code, y, code.number(0, y)), code.number(1, y))
    return code.apply("mul", g, slope)


def _selu_grad(code: Code, g: int, y: int) -> int:
    _need_float(code, y)
    below = code.apply("mul", g, code.apply("add", y, code.number(SELU_SCALE_ALPHA, y)))
    above = code.apply("mul", g, code.number(SELU_SCALE, g))
    return code.apply("where", _less(code, y, code.number(0, y)), below, above)


def _choose(code: Code, condition: int, x: int, y: int) -> int:
    return code.apply("where", condition, x, y)


_BY_OP: Final[Mapping[str, Express]] = {
    "Abs": _absolute,
    "AccumulateNV2": _sum,
    "Add": _two("add"),
    "AddN": _sum,
    "AddV2": _two("add"),
    "Ceil": _one("ceil"),
    "ClipByValue": _clip,
    "Div": _floats("div"),
    "DivNoNan": _unless_zero("div"),
    "EluGrad": _elu_grad,
    "Equal": _test("eq"),
    "Floor": _one("floor"),
    "FloorDiv": _floor_of_quotient,
    "Greater": _greater,
    "GreaterEqual": _at_least,
    "Inv": _reciprocal,
    "InvGrad": _reciprocal_grad,
    "Less": _less,
    "LessEqual": _at_most,
    "LogicalAnd": _two("and"),
    "LogicalNot": _one("invert"),
    "LogicalOr": _two("or"),
    "Maximum": _maximum,
    "Minimum": _minimum,
    "Mod": _floats("fmod"),
    "Mul": _two("mul"),
    "MulNoNan": _unless_zero("mul"),
    "Neg": _one("neg"),
    "NotEqual": _test("ne"),
    "RealDiv": _floats("div"),
    "Reciprocal": _reciprocal,
    "ReciprocalGrad": _reciprocal_grad,
    "Relu": _relu,
    "Relu6": _relu6,
    "Relu6Grad": _relu6_grad,
    "ReluGrad": _relu_grad,
    "Rsqrt": _rsqrt,
    "RsqrtGrad": _rsqrt_grad,
    "Select": _choose,
    "SelectV2": _choose,
    "SeluGrad": _selu_grad,
    "SigmoidGrad": _sigmoid_grad,
    "Sign": _sign,
    "Softsign": _softsign,
    "SoftsignGrad": _softsign_grad,
    "Sqrt": _one("sqrt"),
    "SqrtGrad": _sqrt_grad,
    "Square": _square,
    "SquaredDifference": _squared_difference,
    "Sub": _two("sub"),
    "TanhGrad": _tanh_grad,
    "TruncateMod": _floats("fmod"),
}
