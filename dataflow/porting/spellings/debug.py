"""tensorflow.python.debug: the debugger's names, for programs that have an option for it."""

from __future__ import annotations

from typing import Any, NoReturn


class _Absent:
    """A wrapper or hook of the debugger's; it cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"There is no debugger here, so no {type(self).__name__}: fetch what you want to see, "
            "or add tf.print or tf.debugging.assert_all_finite."
        )


class DumpingDebugHook(_Absent):
    """Would write tensors to files."""


class DumpingDebugWrapperSession(_Absent):
    """Would write tensors to files."""


class GrpcDebugHook(_Absent):
    """Would send tensors to a debugger."""


class GrpcDebugWrapperSession(_Absent):
    """Would send tensors to a debugger."""


class LocalCLIDebugHook(_Absent):
    """Would stop at each step, and ask what to show."""


class LocalCLIDebugWrapperSession(_Absent):
    """Would stop at each step, and ask what to show."""


class TensorBoardDebugHook(_Absent):
    """Would let TensorBoard show tensors."""


class TensorBoardDebugWrapperSession(_Absent):
    """Would let TensorBoard show tensors."""


def has_inf_or_nan(datum: Any, tensor: Any) -> NoReturn:
    """Would filter what the debugger shows."""
    raise NotImplementedError("There is no debugger here: use tf.debugging.assert_all_finite.")
