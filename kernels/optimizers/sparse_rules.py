"""The update rules of optimizers on rows of a variable, where they differ from the dense ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.kernels.contract.element_types import FLOATS
from dataflow.kernels.optimizers.regularized_rules import (
    PROXIMAL_LIMITS,
    ftrl_accumulate,
    proximal_adagrad,
    proximal_gradient_descent,
    without_shrinkage,
)
from dataflow.kernels.optimizers.rule import ANY, WIDE, Attrs, Rule, Update, one, rsqrt, zero
from dataflow.kernels.optimizers.rules import adadelta, adagrad, adagrad_v2, keras_momentum
from dataflow.values import dtypes

# As in the dense rules, the order of operations is TensorFlow's, which here is another one.


def _momentum(node: Attrs, xp: Any) -> Update:
    nesterov = node.attr("use_nesterov")

    def update(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> None:
        accum *= momentum
        accum += grad
        if nesterov:
            var -= lr * grad + lr * momentum * accum
        else:
            var -= lr * accum

    return update


def _rms_prop(node: Attrs, xp: Any) -> Update:
    def update(
        var: Any,
        ms: Any,
        mom: Any,
        lr: Any,
        rho: Any,
        momentum: Any,
        epsilon: Any,
        grad: Any,
    ) -> None:
        ms *= rho
        ms += xp.square(grad) * (one(ms) - rho)
        mom *= momentum
        mom += rsqrt(xp, ms + epsilon) * lr * grad
        var -= mom

    return update


def _centered_rms_prop(node: Attrs, xp: Any) -> Update:
    def update(
        var: Any,
        mg: Any,
        ms: Any,
        mom: Any,
        lr: Any,
        rho: Any,
        momentum: Any,
        epsilon: Any,
        grad: Any,
    ) -> None:
        rest = one(var) - rho
        ms *= rho
        ms += xp.square(grad) * rest
        mg *= rho
        mg += grad * rest
        mom *= momentum
        mom += rsqrt(xp, ms + epsilon - xp.square(mg)) * lr * grad
        var -= mom

    return update


def _adagrad_da(node: Attrs, xp: Any) -> Update:
    def update(
        var: Any,
        gradients: Any,
        squares: Any,
        grad: Any,
        lr: Any,
        l1: Any,
        l2: Any,
        global_step: Any,
    ) -> None:
        gradients += grad
        squares += xp.square(grad)
        step = global_step.astype(var.dtype)
        mean = gradients / step
        if l1 > 0:
            mean = xp.sign(gradients) * xp.maximum(xp.abs(mean) - l1, zero(var))
        var[...] = -mean / (l2 + xp.sqrt(squares) / (step * lr))

    return update


def _ftrl(node: Attrs, xp: Any) -> Update:
    return without_shrinkage(_ftrl_v2(node, xp))


def _ftrl_v2(node: Attrs, xp: Any) -> Update:
    times_lr = node.attr("multiply_linear_by_lr")

    def update(
        var: Any,
        accum: Any,
        linear: Any,
        grad: Any,
        lr: Any,
        l1: Any,
        l2: Any,
        l2_shrinkage: Any,
        lr_power: Any,
    ) -> None:
        powered = ftrl_accumulate(
            xp, times_lr, var, accum, linear, grad, lr, l2_shrinkage, lr_power
        )
        two = one(var) + one(var)
        bound = l1 * lr if times_lr else l1
        divisor = powered + two * l2 * lr if times_lr else powered / lr + two * l2
        var[...] = (xp.maximum(xp.minimum(linear, bound), -bound) - linear) / divisor

    return update


_NO_BFLOAT16: Final = tuple(t for t in ANY if t is not dtypes.bfloat16)
_FTRL_LIMITS: Final = {
    **PROXIMAL_LIMITS,
    "lr_power": "non-positive",
    "l2_shrinkage": "non-negative",
}

SPARSE_RULES: Final[Mapping[str, Rule]] = {
    "Momentum": Rule(_momentum, "var accum", "lr grad indices momentum"),
    "KerasMomentum": Rule(keras_momentum, "var accum", "lr grad indices momentum"),
    "RMSProp": Rule(
        _rms_prop, "var ms mom", "lr rho momentum epsilon grad indices", types=_NO_BFLOAT16
    ),
    "CenteredRMSProp": Rule(
        _centered_rms_prop,
        "var mg ms mom",
        "lr rho momentum epsilon grad indices",
        types=_NO_BFLOAT16,
    ),
    "Adadelta": Rule(adadelta, "var accum_grad accum_update", "lr rho epsilon grad indices"),
    "Adagrad": Rule(adagrad, "var accum", "lr grad indices", needs_elements=True),
    "AdagradV2": Rule(adagrad_v2, "var accum", "lr epsilon grad indices", needs_elements=True),
    "ProximalGradientDescent": Rule(
        proximal_gradient_descent,
        "var",
        "lr l1 l2 grad indices",
        types=WIDE,
        needs_elements=True,
    ),
    "ProximalAdagrad": Rule(
        proximal_adagrad,
        "var accum",
        "lr l1 l2 grad indices",
        types=WIDE,
        limits=PROXIMAL_LIMITS,
        needs_elements=True,
    ),
    "AdagradDA": Rule(
        _adagrad_da,
        "var accum accum",
        "grad indices lr l1 l2 global_step",
        types=WIDE,
        needs_elements=True,
    ),
    "Ftrl": Rule(
        _ftrl,
        "var accum linear",
        "grad indices lr l1 l2 lr_power",
        types=FLOATS,
        limits=_FTRL_LIMITS,
        needs_elements=True,
    ),
    "FtrlV2": Rule(
        _ftrl_v2,
        "var accum linear",
        "grad indices lr l1 l2 l2_shrinkage lr_power",
        types=FLOATS,
        limits=_FTRL_LIMITS,
        needs_elements=True,
    ),
}
"""By the op's name without "SparseApply" and what is in front of it."""
