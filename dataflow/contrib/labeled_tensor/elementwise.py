"""Functions of labeled tensors that take them element by element, and the operators of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.labeled_tensor.tensors import (
    LabeledTensor,
    define_binary_op,
    define_unary_op,
)
from dataflow.ops.math import binary, compare, division, power, rounding, special, trig, unary
from dataflow.ops.math import sigmoid as sigmoids

abs_function = define_unary_op("abs", unary.abs)
neg = define_unary_op("neg", unary.negative)
sign = define_unary_op("sign", rounding.sign)
reciprocal = define_unary_op("reciprocal", unary.reciprocal)
square = define_unary_op("square", unary.square)
round_function = define_unary_op("round", rounding.round)
sqrt = define_unary_op("sqrt", unary.sqrt)
rsqrt = define_unary_op("rsqrt", unary.rsqrt)
exp = define_unary_op("exp", unary.exp)
log = define_unary_op("log", unary.log)
ceil = define_unary_op("ceil", rounding.ceil)
floor = define_unary_op("floor", rounding.floor)
cos = define_unary_op("cos", trig.cos)
sin = define_unary_op("sin", trig.sin)
tan = define_unary_op("tan", trig.tan)
acos = define_unary_op("acos", trig.acos)
asin = define_unary_op("asin", trig.asin)
atan = define_unary_op("atan", trig.atan)
lgamma = define_unary_op("lgamma", special.lgamma)
digamma = define_unary_op("digamma", special.digamma)
erf = define_unary_op("erf", special.erf)
erfc = define_unary_op("erfc", special.erfc)
logical_not = define_unary_op("logical_not", compare.logical_not)
tanh = define_unary_op("tanh", trig.tanh)
sigmoid = define_unary_op("sigmoid", sigmoids.sigmoid)

add = define_binary_op("add", binary.add)
sub = define_binary_op("sub", binary.subtract)
mul = define_binary_op("mul", binary.multiply)
div = define_binary_op("div", division.div)
mod = define_binary_op("mod", division.floormod)
pow_function = define_binary_op("pow", power.pow)
equal = define_binary_op("equal", compare.equal)
greater = define_binary_op("greater", compare.greater)
greater_equal = define_binary_op("greater_equal", compare.greater_equal)
not_equal = define_binary_op("not_equal", compare.not_equal)
less = define_binary_op("less", compare.less)
less_equal = define_binary_op("less_equal", compare.less_equal)
logical_and = define_binary_op("logical_and", compare.logical_and)
logical_or = define_binary_op("logical_or", compare.logical_or)
logical_xor = define_binary_op("logical_xor", compare.logical_xor)
maximum = define_binary_op("maximum", binary.maximum)
minimum = define_binary_op("minimum", binary.minimum)
squared_difference = define_binary_op("squared_difference", binary.squared_difference)
igamma = define_binary_op("igamma", special.igamma)
igammac = define_binary_op("igammac", special.igammac)
zeta = define_binary_op("zeta", special.zeta)
polygamma = define_binary_op("polygamma", special.polygamma)


def _turned(function: Callable[..., LabeledTensor]) -> Callable[..., LabeledTensor]:
    """The operator for a labeled tensor that stands on the right."""

    def reverse(self: Any, other: Any) -> LabeledTensor:
        return function(other, self)

    return reverse


for _name, _function in (("abs", abs_function), ("neg", neg), ("invert", logical_not)):
    setattr(LabeledTensor, f"__{_name}__", _function)
for _name, _function in (
    ("add", add),
    ("sub", sub),
    ("mul", mul),
    ("truediv", div),
    ("mod", mod),
    ("pow", pow_function),
):
    setattr(LabeledTensor, f"__{_name}__", _function)
    setattr(LabeledTensor, f"__r{_name}__", _turned(_function))
for _name, _function in (
    ("and", logical_and),
    ("or", logical_or),
    ("xor", logical_xor),
    ("lt", less),
    ("le", less_equal),
    ("gt", greater),
    ("ge", greater_equal),
):
    setattr(LabeledTensor, f"__{_name}__", _function)
