"""Policy: which element types a layer computes with, and which its variables have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from dataflow.keras.backend.settings import floatx
from dataflow.session import defaults
from dataflow.training.loss_scaling import graph_rewrite
from dataflow.training.loss_scaling.scales import LossScale, loss_scale_of
from dataflow.values import dtypes, logging

_DEFAULT: Final = "USE_DEFAULT"
_KEPT: Final = "_with_float32_vars"


class Policy:
    """The element types of a layer, by a name.

    Args:
      name: The name of an element type, for computing and for variables; the same followed by
        "_with_float32_vars", where variables are float32; "mixed_float16", which is
        "float16_with_float32_vars" with a dynamic loss scale, or "mixed_bfloat16"; "infer" and
        "infer_with_float32_vars" (or "infer_float32_vars") take the type of the first input.
      loss_scale: What a `Model` multiplies its loss by: a `LossScale`, a number, "dynamic" or None.

    Raises:
      TypeError: The name is no string.
      ValueError: It names no policy.
    """

    def __init__(self, name: Any, loss_scale: Any = _DEFAULT) -> None:
        if isinstance(name, dtypes.DType):
            raise TypeError(
                "'name' must be a string, not a DType. Instead, pass DType.name. Got: " + name.name
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        name = {"infer_float32_vars": f"infer{_KEPT}", f"float32{_KEPT}": "float32"}.get(name, name)
        self._name: str = name
        self._compute_dtype, self._variable_dtype = _types_of(name)
        if isinstance(loss_scale, str) and loss_scale == _DEFAULT:
            loss_scale = "dynamic" if name == "mixed_float16" else None
        if loss_scale and self._compute_dtype not in (None, "float16"):
            logging.warning(
                "Creating a Policy with a loss scale is only useful for float16 policies. You "
                f"passed loss_scale={loss_scale!r} for policy {name}. Consider not passing any "
                "loss_scale instead."
            )
        self._loss_scale = loss_scale_of(loss_scale)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        """The name of the type that a layer computes with; None for that of the first input."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The name of the type of variables; None for that of the first input."""
        return self._variable_dtype

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are cast where a layer reads them."""
        return self._variable_dtype != self._compute_dtype

    @property
    def loss_scale(self) -> LossScale | None:
        """What a model multiplies its loss by."""
        return self._loss_scale

    def __repr__(self) -> str:
        return f'<Policy "{self._name}", loss_scale={self._loss_scale}>'


def _types_of(name: str) -> tuple[str | None, str | None]:
    """The types for computing and for variables."""
    if name in ("mixed_float16", "mixed_bfloat16"):
        return name.removeprefix("mixed_"), "float32"
    base = name.removesuffix(_KEPT)
    keeps = base != name
    if base == "infer":
        kind = None
    else:
        try:
            kind = dtypes.as_dtype(base).name
        except TypeError:
            text = (
                f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
                'include those in the form "<dtype>" and "<dtype>_with_float32_vars", where '
                "<dtype> is the name of a dtype."
            )
            if keeps:
                text += (
                    f" The value {name} ends with _with_float32_vars, but {base} cannot be "
                    "converted to a DType"
                )
            raise ValueError(text) from None
    return kind, "float32" if keeps else kind


def with_input_dtype(policy: Policy, dtype: Any) -> Policy:
    """The policy of a type that a policy did not know before the first input."""
    name = dtypes.as_dtype(dtype).name
    return Policy(name if policy.variable_dtype is None else name + _KEPT)


class _Global:
    policy: Policy | None = None
    infers = True


def enable_v2_dtype_behavior() -> None:
    """Lets layers that are told no type compute in that of floats, to which they cast inputs."""
    _Global.infers = False


def disable_v2_dtype_behavior() -> None:
    """Lets layers that are told no type take that of their first input, as they do at first."""
    _Global.infers = True


def v2_dtype_behavior_enabled() -> bool:
    """Whether layers that are told no type compute in that of floats."""
    return not _Global.infers


def global_policy() -> Policy:
    """The policy of layers that get none: what `set_policy` was given, or "infer"."""
    return _Global.policy or Policy("infer" if _Global.infers else floatx())


def policy_defaults_to_floatx() -> bool:
    """Whether that is the type of floats."""
    return _Global.policy is None and not _Global.infers


def set_policy(policy: Any) -> None:
    """Settles the policy of layers that get none.

    Args:
      policy: A `Policy`, its name, or None for "infer". TensorFlow 1 has only those that infer.

    Raises:
      ValueError: The policy names the type to compute with, or the graph rewrite is on.
    """
    if defaults.get_optimizer_experimental_options().get("auto_mixed_precision"):
        raise ValueError(
            "The mixed precision policy cannot be set, because the mixed precision graph rewrite "
            "has already been enabled.\nAt most, one of the following functions can be called:\n\n"
            "  1. tf.train.experimental.enable_mixed_precision_graph_rewrite() (You called this "
            "first)\n  2. tf.keras.mixed_precision.experimental.set_policy() (You called this "
            "second)\n\nYou called both functions, which is an error, because both functions "
            "enable you to use mixed precision. The first function enables mixed precision in the "
            "graph with a graph rewrite. However it is currently not very customizable, and does "
            "not support eager. The second function is for Keras layers, but is not yet fully "
            "complete."
        )
    if policy is not None and not isinstance(policy, Policy):
        policy = Policy(policy)
    if policy is not None and policy.compute_dtype and _Global.infers:
        raise ValueError("The global policy can only be set to a non-infer policy in TensorFlow 2")
    _Global.policy = policy
    graph_rewrite.keras_policy_is_set = policy is not None


@contextmanager
def policy_scope(policy: Any) -> Iterator[None]:
    """Settles the policy of layers that are made inside."""
    before = _Global.policy
    try:
        set_policy(policy)
        yield
    finally:
        set_policy(before)


def policy_of(dtype: Any) -> Policy:
    """The policy that a layer is given by its argument `dtype`."""
    if isinstance(dtype, Policy):
        return dtype
    return global_policy() if dtype is None else Policy(dtypes.as_dtype(dtype).name)
