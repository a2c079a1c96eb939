"""Update rules that regularize: forward-backward splitting, dual averaging, FTRL."""

from __future__ import annotations

from typing import Any, Final

from dataflow.kernels.optimizers.rule import Attrs, Update, one, rsqrt, zero

PROXIMAL_LIMITS: Final = {"lr": "positive", "l1": "non-negative", "l2": "non-negative"}


def proximal_gradient_descent(node: Attrs, xp: Any) -> Update:
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


def proximal_adagrad(node: Attrs, xp: Any) -> Update:
    """Forward-backward splitting with Adagrad's learning rate."""

    def update(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> None:
        accum += xp.square(grad)
        rate = lr * rsqrt(xp, accum)
        var -= grad * rate
        shrink(xp, var, rate, l1, l2)

    return update


def adagrad_da(node: Attrs, xp: Any) -> Update:
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


def ftrl(node: Attrs, xp: Any) -> Update:
    """FTRL-proximal (McMahan et al., 2013)."""
    return without_shrinkage(ftrl_v2(node, xp))


def without_shrinkage(with_shrinkage: Update) -> Update:
    """An update of FTRL that takes no penalty on the magnitude."""

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


def ftrl_v2(node: Attrs, xp: Any) -> Update:
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
