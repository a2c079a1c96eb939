"""The dense update rules of optimizers: they change a variable and its slots in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.kernels.contract.element_types import FLOATS
from dataflow.kernels.optimizers.regularized_rules import (
    PROXIMAL_LIMITS,
    adagrad_da,
    ftrl,
    ftrl_v2,
    proximal_adagrad,
    proximal_gradient_descent,
)
from dataflow.kernels.optimizers.rule import WIDE, Attrs, Rule, Update, one, rsqrt
from dataflow.values import dtypes

# The order of operations is that of TensorFlow's Eigen expressions: with 16-bit floats, where each
# operation rounds, another order gives other results.


def _gradient_descent(node: Attrs, xp: Any) -> Update:
    def update(var: Any, alpha: Any, delta: Any) -> None:
        var -= delta * alpha

    return update


def _momentum(node: Attrs, xp: Any) -> Update:
    nesterov = node.attr("use_nesterov")

    def update(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> None:
        accum *= momentum
        accum += grad
        if nesterov:
            var -= grad * lr + accum * momentum * lr
        else:
            var -= accum * lr

    return update


def keras_momentum(node: Attrs, xp: Any) -> Update:
    """Momentum whose sum has the learning rate in it."""
    nesterov = node.attr("use_nesterov")

    def update(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> None:
        step = grad * lr
        accum *= momentum
        accum -= step
        var += accum * momentum - step if nesterov else accum

    return update


def _adam(node: Attrs, xp: Any) -> Update:
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


def _adam_with_amsgrad(node: Attrs, xp: Any) -> Update:
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


def _ada_max(node: Attrs, xp: Any) -> Update:
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
        ms += (xp.square(grad) - ms) * (one(ms) - rho)
        mom *= momentum
        mom += (grad * lr) / xp.sqrt(ms + epsilon)
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
        ms += (xp.square(grad) - ms) * (one(ms) - rho)
        mg += (grad - mg) * (one(mg) - rho)
        mom *= momentum
        mom += (grad * lr) / xp.sqrt((ms - xp.square(mg)) + epsilon)
        var -= mom

    return update


def adadelta(node: Attrs, xp: Any) -> Update:
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


def adagrad(node: Attrs, xp: Any) -> Update:
    """Adagrad (Duchi et al., 2011)."""
    update_slots = node.attr("update_slots")

    def update(var: Any, accum: Any, lr: Any, grad: Any) -> None:
        if update_slots:
            accum += xp.square(grad)
        var -= grad * lr * rsqrt(xp, accum)

    return update


def adagrad_v2(node: Attrs, xp: Any) -> Update:
    """Adagrad whose divisor is kept above zero."""
    update_slots = node.attr("update_slots")

    def update(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any) -> None:
        if update_slots:
            accum += xp.square(grad)
        var -= grad * lr / (xp.sqrt(accum) + epsilon)

    return update


def _add_sign(node: Attrs, xp: Any) -> Update:
    """AddSign (Bello et al., 2017)."""

    def update(
        var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any
    ) -> None:
        agreement = _sign_agreement(xp, m, beta, grad)
        var -= lr * (alpha + sign_decay * agreement) * grad

    return update


def _power_sign(node: Attrs, xp: Any) -> Update:
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


_MOMENTS: Final = "beta1_power beta2_power lr beta1 beta2 epsilon grad"

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
    "AdagradDA": Rule(adagrad_da, "var accum accum", "grad lr l1 l2 global_step", types=WIDE),
    "Ftrl": Rule(ftrl, "var accum linear", "grad lr l1 l2 lr_power", types=FLOATS),
    "FtrlV2": Rule(
        ftrl_v2, "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", types=FLOATS
    ),
    "AddSign": Rule(_add_sign, "var m", "lr alpha sign_decay beta grad", types=FLOATS),
    "PowerSign": Rule(_power_sign, "var m", "lr logbase sign_decay beta grad", types=FLOATS),
}
"""By the op's name without "Apply" and what is in front of it."""
