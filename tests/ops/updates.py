"""The update ops of optimizers with values for their inputs, for tests that run both libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.ops.case import Values

_MOMENTS: Mapping[str, float] = {
    "beta1_power": 0.9,
    "beta2_power": 0.99,
    "lr": 0.1,
    "beta1": 0.9,
    "beta2": 0.99,
    "epsilon": 1e-3,
}
_PROXIMAL: Mapping[str, float] = {"l1": 0.2, "l2": 0.3}


@dataclass(frozen=True, slots=True)
class Update:
    """A rule with hyperparameters."""

    rule: str
    """What follows "Apply" in the op's type."""
    variables: tuple[str, ...]
    """Names of the variable and its slots."""
    scalars: Mapping[str, float]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    gradient: str = "grad"
    """The gradient's name, where it is dense."""
    is_sparse: bool = True
    """There is a variant for rows."""
    is_dense: bool = True
    resource_only: bool = False

    @property
    def id(self) -> str:
        """The row's name in test reports."""
        more = "".join(f"-{name}={value}" for name, value in self.attrs.items())
        return f"{self.rule}{more}-{len(self.scalars)}-{sum(self.scalars.values()):.3g}"


_ACCUM = ("var", "accum")
_FTRL = ("var", "accum", "linear")
_DA = ("var", "gradient_accumulator", "gradient_squared_accumulator")

UPDATES = (
    Update("GradientDescent", ("var",), {"alpha": 0.1}, gradient="delta", is_sparse=False),
    Update(
        "ProximalGradientDescent", ("var",), {"alpha": 0.1, "l1": 0.2, "l2": 0.3}, gradient="delta"
    ),
    Update(
        "ProximalGradientDescent", ("var",), {"alpha": 0.1, "l1": 0.0, "l2": 0.3}, gradient="delta"
    ),
    Update("Momentum", _ACCUM, {"lr": 0.1, "momentum": 0.9}),
    Update("Momentum", _ACCUM, {"lr": 0.1, "momentum": 0.9}, {"use_nesterov": True}),
    Update("KerasMomentum", _ACCUM, {"lr": 0.1, "momentum": 0.9}, resource_only=True),
    Update(
        "KerasMomentum",
        _ACCUM,
        {"lr": 0.1, "momentum": 0.9},
        {"use_nesterov": True},
        resource_only=True,
    ),
    Update("Adam", ("var", "m", "v"), _MOMENTS, is_sparse=False),
    Update("Adam", ("var", "m", "v"), _MOMENTS, {"use_nesterov": True}, is_sparse=False),
    Update(
        "AdamWithAmsgrad", ("var", "m", "v", "vhat"), _MOMENTS, is_sparse=False, resource_only=True
    ),
    Update(
        "AdaMax",
        ("var", "m", "v"),
        {name: value for name, value in _MOMENTS.items() if name != "beta2_power"},
        is_sparse=False,
    ),
    Update(
        "RMSProp",
        ("var", "ms", "mom"),
        {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 0.01},
    ),
    Update(
        "CenteredRMSProp",
        ("var", "mg", "ms", "mom"),
        {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 2.0},
    ),
    Update(
        "Adadelta",
        ("var", "accum", "accum_update"),
        {"lr": 0.1, "rho": 0.9, "epsilon": 0.01},
    ),
    Update("Adagrad", _ACCUM, {"lr": 0.1}),
    Update("Adagrad", _ACCUM, {"lr": 0.1}, {"update_slots": False}),
    Update("AdagradV2", _ACCUM, {"lr": 0.1, "epsilon": 0.01}),
    Update("AdagradV2", _ACCUM, {"lr": 0.1, "epsilon": 0.01}, {"update_slots": False}),
    Update("ProximalAdagrad", _ACCUM, {"lr": 0.1, **_PROXIMAL}),
    Update("ProximalAdagrad", _ACCUM, {"lr": 0.1, "l1": 0.0, "l2": 0.3}),
    Update("AdagradDA", _DA, {"lr": 0.1, **_PROXIMAL, "global_step": 3}),
    Update("AdagradDA", _DA, {"lr": 0.1, "l1": 0.0, "l2": 0.3, "global_step": 3}),
    Update("Ftrl", _FTRL, {"lr": 0.1, **_PROXIMAL, "lr_power": -0.5}),
    Update("Ftrl", _FTRL, {"lr": 0.1, **_PROXIMAL, "lr_power": -0.4}),
    Update(
        "Ftrl",
        _FTRL,
        {"lr": 0.1, **_PROXIMAL, "lr_power": -0.5},
        {"multiply_linear_by_lr": True},
    ),
    Update("FtrlV2", _FTRL, {"lr": 0.1, **_PROXIMAL, "l2_shrinkage": 0.4, "lr_power": -0.5}),
    Update(
        "FtrlV2",
        _FTRL,
        {"lr": 0.1, **_PROXIMAL, "l2_shrinkage": 0.4, "lr_power": -0.4},
        {"multiply_linear_by_lr": True},
    ),
    Update(
        "AddSign",
        ("var", "m"),
        {"lr": 0.1, "alpha": 1.0, "sign_decay": 0.9, "beta": 0.9},
        is_sparse=False,
    ),
    Update(
        "PowerSign",
        ("var", "m"),
        {"lr": 0.1, "logbase": 1.0, "sign_decay": 0.9, "beta": 0.9},
        is_sparse=False,
    ),
)


def op_type(update: Update, sparse: bool, use_resource: bool) -> str:
    """The op's type."""
    return f"{'Resource' * use_resource}{'Sparse' * sparse}Apply{update.rule}"


def variables(
    tf: Any, update: Update, value: Any, use_resource: bool, validate_shape: bool = True
) -> list[Any]:
    """New variables for the variable and its slots; `value(name)` gives the initial values."""
    options = {"use_resource": use_resource, "validate_shape": validate_shape}
    return [tf.Variable(value(name), name=name, **options) for name in update.variables]


def apply(
    tf: Any,
    update: Update,
    made: list[Any],
    gradient: Any,
    indices: Any = None,
    scalars: Mapping[str, Any] | None = None,
) -> Any:
    """The operation that does the update; `scalars` go before those of the row."""
    use_resource = hasattr(made[0], "handle")
    inputs = {
        name: variable.handle if use_resource else variable
        for name, variable in zip(update.variables, made, strict=True)
    }
    element = gradient.dtype.base_dtype
    for name, number in update.scalars.items():
        dtype = tf.int64 if name == "global_step" else element
        inputs[name] = tf.constant(number, dtype=dtype)
    inputs.update(scalars or {})
    if indices is not None:
        inputs["indices"] = indices
    inputs["grad" if indices is not None else update.gradient] = gradient
    kind = op_type(update, indices is not None, use_resource)
    result = getattr(tf.raw_ops, kind)(**inputs, **update.attrs)
    return getattr(result, "op", result)


def gradients(dtype: str, shape: tuple[int, ...], steps: int) -> list[np.ndarray]:
    """Gradients for some steps, positive and negative."""
    values = Values(dtype)
    return [values.any(*shape) for _ in range(steps)]
