"""The update rules of optimizers, on arrays: they change a variable and its slots in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dataflow import dtypes
from dataflow.dtypes import DType
from dataflow.kernels.registry import FLOATS, KernelNode

Update = Callable[..., None]
"""`f(variable, *slots, *arguments)`, in the schema's order; writes to the variable and slots."""
Bind = Callable[[KernelNode, Any], Update]
"""Takes the node and the array module."""

ANY: Final = (*FLOATS, dtypes.complex64, dtypes.complex128)
WIDE: Final = (dtypes.float32, dtypes.float64)


@dataclass(frozen=True, slots=True)
class Rule:
    """How an optimizer changes a variable and what it keeps of it."""

    bind: Bind
    variables: str
    """The variable and its slots, as messages call them, separated by blanks."""
    arguments: str
    """The other inputs of the op, in the schema's order, separated by blanks."""
    types: tuple[DType, ...] = ANY
    """Element types."""
    limits: Mapping[str, str] | None = None
    """Arguments that must be "positive", "non-negative" or "non-positive"."""
    needs_elements: bool = False
    """A row must have elements (sparse rules)."""


# The order of operations is that of TensorFlow's Eigen expressions: with 16-bit floats, where each
# operation rounds, another order gives other results.


def _gradient_descent(node: KernelNode, xp: Any) -> Update:
    def update(var: Any, alpha: Any, delta: Any) -> None:
        var -= delta * alpha

    return update


def proximal_gradient_descent(node: KernelNode, xp: Any) -> Update:
    """Forward-backward splitting (Duchi and Singer, 2009)."""

    def update(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> None:
        var -= delta * alpha
        shrink(xp, var, alpha, l1, l2)

    return update


def shrink(xp: Any, var: Any, rate: Any, l1: Any, l2: Any) -> None:
    """The backward half of forward-backward splitting: towards zero, by l1 and by l2."""
    if l1 > 0:
        magnitude = xp.maximum(xp.abs(var) - rate * l1, zero(var))
        var[...] = xp.sign(var) * magnitude
    var /= one(var) + l2 * rate


def _momentum(node: KernelNode, xp: Any) -> Update:
    nesterov = node.attr("use_nesterov")

    def update(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> None:
        accum *= momentum
        accum += grad
        if nesterov:
            var -= grad * lr + accum * momentum * lr
        else:
            var -= accum * lr

    return update


def keras_momentum(node: KernelNode, xp: Any) -> Update:
    nesterov = node.attr("use_nesterov")

    def update(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> None:
        step = grad * lr
        accum *= momentum
        accum -= step
        var += accum * momentum - step if nesterov else accum

    return update


def _adam(node: KernelNode, xp: Any) -> Update:
    """Adam (Kingma and Ba, 2015), its Algorithm 1 with epsilon hat; nesterov as Dozat, 2016."""
    nesterov = node.attr("use_nesterov")

    def update(
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> None:
        rate = _adam_rate(xp, one(var), beta1_power, beta2_power, lr)
        _moments(xp, m, v, beta1, beta2, grad)
        step = grad * (one(var) - beta1) + beta1 * m if nesterov else m
        _adam_step(xp, var, step, v, rate, epsilon)

    return update


def _adam_with_amsgrad(node: KernelNode, xp: Any) -> Update:
    """AMSGrad (Reddi et al., 2018)."""

    def update(
        var: Any,
        m: Any,
        v: Any,
        vhat: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> None:
        rate = _adam_rate(xp, one(var), beta1_power, beta2_power, lr)
        _moments(xp, m, v, beta1, beta2, grad)
        xp.maximum(vhat, v, out=vhat)
        _adam_step(xp, var, m, vhat, rate, epsilon)

    return update


def _adam_rate(xp: Any, unit: Any, beta1_power: Any, beta2_power: Any, lr: Any) -> Any:
    return lr * xp.sqrt(unit - beta2_power) / (unit - beta1_power)


def _moments(xp: Any, m: Any, v: Any, beta1: Any, beta2: Any, grad: Any) -> None:
    m += (grad - m) * (one(m) - beta1)
    v += (xp.square(grad) - v) * (one(v) - beta2)


def _adam_step(xp: Any, var: Any, step: Any, v: Any, rate: Any, epsilon: Any) -> None:
    var -= (step * rate) / (xp.sqrt(v) + epsilon)


def _ada_max(node: KernelNode, xp: Any) -> Update:
    """AdaMax (Kingma and Ba, 2015, section 7.1)."""

    def update(
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> None:
        m += (grad - m) * (one(m) - beta1)
        v *= beta2
        xp.maximum(v, xp.abs(grad), out=v)
        var -= lr / (one(var) - beta1_power) * (m / (v + epsilon))

    return update


def _rms_prop(node: KernelNode, xp: Any) -> Update:
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
        ms += (xp.square(grad) - ms) * (one(ms) - rho)
        mom *= momentum
        mom += (grad * lr) / xp.sqrt(ms + epsilon)
        var -= mom

    return update


def _centered_rms_prop(node: KernelNode, xp: Any) -> Update:
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
        ms += (xp.square(grad) - ms) * (one(ms) - rho)
        mg += (grad - mg) * (one(mg) - rho)
        mom *= momentum
        mom += (grad * lr) / xp.sqrt((ms - xp.square(mg)) + epsilon)
        var -= mom

    return update


def adadelta(node: KernelNode, xp: Any) -> Update:
    """Adadelta (Zeiler, 2012)."""

    def update(
        var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any
    ) -> None:
        rest = one(var) - rho
        accum *= rho
        accum += xp.square(grad) * rest
        step = xp.sqrt(accum_update + epsilon) * rsqrt(xp, accum + epsilon) * grad
        var -= step * lr
        accum_update *= rho
        accum_update += xp.square(step) * rest

    return update


def adagrad(node: KernelNode, xp: Any) -> Update:
    """Adagrad (Duchi et al., 2011)."""
    update_slots = node.attr("update_slots")

    def update(var: Any, accum: Any, lr: Any, grad: Any) -> None:
        if update_slots:
            accum += xp.square(grad)
        var -= grad * lr * rsqrt(xp, accum)

    return update


def adagrad_v2(node: KernelNode, xp: Any) -> Update:
    """Adagrad whose divisor is kept above zero."""
    update_slots = node.attr("update_slots")

    def update(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any) -> None:
        if update_slots:
            accum += xp.square(grad)
        var -= grad * lr / (xp.sqrt(accum) + epsilon)

    return update


def proximal_adagrad(node: KernelNode, xp: Any) -> Update:
    """Forward-backward splitting with Adagrad's learning rate."""

    def update(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> None:
        accum += xp.square(grad)
        rate = lr * rsqrt(xp, accum)
        var -= grad * rate
        shrink(xp, var, rate, l1, l2)

    return update


def _adagrad_da(node: KernelNode, xp: Any) -> Update:
    """Dual averaging with Adagrad's proximal function (Duchi et al., 2011)."""

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
        direction = gradients
        if l1 > 0:
            beyond = xp.maximum(xp.abs(gradients) - step * l1, zero(var))
            direction = xp.sign(gradients) * beyond
        var[...] = -(lr * direction) / (l2 * (step * lr) + xp.sqrt(squares))

    return update


def _ftrl(node: KernelNode, xp: Any) -> Update:
    """FTRL-proximal (McMahan et al., 2013)."""
    with_shrinkage = _ftrl_v2(node, xp)

    def update(
        var: Any,
        accum: Any,
        linear: Any,
        grad: Any,
        lr: Any,
        l1: Any,
        l2: Any,
        lr_power: Any,
    ) -> None:
        with_shrinkage(var, accum, linear, grad, lr, l1, l2, None, lr_power)

    return update


def _ftrl_v2(node: KernelNode, xp: Any) -> Update:
    """FTRL-proximal with an L2 penalty on the magnitude; none if `l2_shrinkage` is None."""
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
        moved = (bound * xp.sign(linear) - linear) / divisor
        var[...] = xp.where(xp.abs(linear) > bound, moved, zero(var))

    return update


def ftrl_accumulate(
    xp: Any,
    times_lr: bool,
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l2_shrinkage: Any,
    lr_power: Any,
) -> Any:
    """Updates both slots of FTRL and returns the new accumulator to the power of -lr_power."""
    pull = grad
    if l2_shrinkage is not None:
        pull = grad + (one(var) + one(var)) * l2_shrinkage * var
    before = _power(xp, accum, lr_power)
    accum += xp.square(grad)
    after = _power(xp, accum, lr_power)
    if times_lr:
        linear += pull * lr - (after - before) * var
    else:
        linear += pull - (after - before) / lr * var
    return after


def _power(xp: Any, base: Any, lr_power: Any) -> Any:
    """The base to the power of -lr_power; the usual power has a quicker and closer function."""
    return xp.sqrt(base) if float(lr_power) == -0.5 else base**-lr_power


def _add_sign(node: KernelNode, xp: Any) -> Update:
    """AddSign (Bello et al., 2017)."""

    def update(
        var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any
    ) -> None:
        agreement = _sign_agreement(xp, m, beta, grad)
        var -= lr * (alpha + sign_decay * agreement) * grad

    return update


def _power_sign(node: KernelNode, xp: Any) -> Update:
    """PowerSign (Bello et al., 2017)."""

    def update(
        var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any
    ) -> None:
        agreement = _sign_agreement(xp, m, beta, grad)
        var -= lr * xp.exp(logbase * sign_decay * agreement) * grad

    return update


def _sign_agreement(xp: Any, m: Any, beta: Any, grad: Any) -> Any:
    """Updates the moving average; 1 where gradient and average agree in sign, -1 where not."""
    m *= beta
    m += grad * (one(m) - beta)
    return xp.sign(grad) * xp.sign(m)


def one(array: Any) -> Any:
    """1 of the array's type: Python's could widen a 16-bit float."""
    return array.dtype.type(1)


def zero(array: Any) -> Any:
    """0 of the array's type."""
    return array.dtype.type(0)


def rsqrt(xp: Any, array: Any) -> Any:
    """1 / sqrt(array)."""
    return one(array) / xp.sqrt(array)


_MOMENTS: Final = "beta1_power beta2_power lr beta1 beta2 epsilon grad"
PROXIMAL_LIMITS: Final = {"lr": "positive", "l1": "non-negative", "l2": "non-negative"}

DENSE_RULES: Final[Mapping[str, Rule]] = {
    "GradientDescent": Rule(_gradient_descent, "var", "alpha delta"),
    "ProximalGradientDescent": Rule(
        proximal_gradient_descent, "var", "alpha l1 l2 delta", types=WIDE
    ),
    "Momentum": Rule(_momentum, "var accum", "lr grad momentum"),
    "KerasMomentum": Rule(keras_momentum, "var accum", "lr grad momentum"),
    "Adam": Rule(_adam, "var m v", _MOMENTS),
    "AdamWithAmsgrad": Rule(_adam_with_amsgrad, "var m v vhat", _MOMENTS, types=FLOATS),
    "AdaMax": Rule(
        _ada_max,
        "var m v",
        "beta1_power lr beta1 beta2 epsilon grad",
        types=(dtypes.half, *WIDE),
    ),
    "RMSProp": Rule(_rms_prop, "var ms mom", "lr rho momentum epsilon grad"),
    "CenteredRMSProp": Rule(_centered_rms_prop, "var mg ms mom", "lr rho momentum epsilon grad"),
    "Adadelta": Rule(adadelta, "var accum accum_update", "lr rho epsilon grad"),
    "Adagrad": Rule(adagrad, "var accum", "lr grad"),
    "AdagradV2": Rule(adagrad_v2, "var accum", "lr epsilon grad"),
    "ProximalAdagrad": Rule(
        proximal_adagrad, "var accum", "lr l1 l2 grad", types=WIDE, limits=PROXIMAL_LIMITS
    ),
    "AdagradDA": Rule(_adagrad_da, "var accum accum", "grad lr l1 l2 global_step", types=WIDE),
    "Ftrl": Rule(_ftrl, "var accum linear", "grad lr l1 l2 lr_power", types=FLOATS),
    "FtrlV2": Rule(
        _ftrl_v2, "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", types=FLOATS
    ),
    "AddSign": Rule(_add_sign, "var m", "lr alpha sign_decay beta grad", types=FLOATS),
    "PowerSign": Rule(_power_sign, "var m", "lr logbase sign_decay beta grad", types=FLOATS),
}
"""By the op's name without "Apply" and what is in front of it."""
