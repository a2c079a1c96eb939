"""The switches between TensorFlow 1's behaviour and 2's; control flow is the one that turns."""

from __future__ import annotations

from dataflow.control_flow.version import (
    disable_control_flow_v2,
)


def disable_v2_behavior() -> None:
    """Brings back control flow of version 1; all else is as in version 1 already."""
    disable_control_flow_v2()


def disable_eager_execution() -> None:
    """Does nothing: operations go into graphs already."""


def disable_tensor_equality() -> None:
    """Does nothing: tensors are compared by identity already."""


def disable_v2_tensorshape() -> None:
    """Does nothing: the dimensions of a shape are `Dimension`s already."""


def executing_eagerly() -> bool:
    """False: operations go into graphs."""
    return False


def executing_eagerly_outside_functions() -> bool:
    """False: operations go into graphs."""
    return False


def enable_v2_behavior() -> None:
    """Refused.

    Raises:
      NotImplementedError: Always.
    """
    raise _refusal("the behaviour of TensorFlow 2")


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Refused.

    Raises:
      NotImplementedError: Always.
    """
    raise _refusal("eager execution")


def enable_tensor_equality() -> None:
    """Refused.

    Raises:
      NotImplementedError: Always.
    """
    raise _refusal("comparison of tensors by value with ==")


def enable_v2_tensorshape() -> None:
    """Refused.

    Raises:
      NotImplementedError: Always.
    """
    raise _refusal("shapes whose dimensions are plain numbers")


def _refusal(what: str) -> NotImplementedError:
    return NotImplementedError(
        f"dataflow runs TensorFlow 1 programs, as graphs in sessions; there is no {what}."
    )
