"""Errors of graph execution: the `OpError` family and the record that crosses processes."""

from __future__ import annotations

import traceback
import warnings
from dataclasses import dataclass
from typing import Any, Final

from dataflow.proto import error_codes_pb2, node_def_pb2

OK: Final = int(error_codes_pb2.OK)
CANCELLED: Final = int(error_codes_pb2.CANCELLED)
UNKNOWN: Final = int(error_codes_pb2.UNKNOWN)
INVALID_ARGUMENT: Final = int(error_codes_pb2.INVALID_ARGUMENT)
DEADLINE_EXCEEDED: Final = int(error_codes_pb2.DEADLINE_EXCEEDED)
NOT_FOUND: Final = int(error_codes_pb2.NOT_FOUND)
ALREADY_EXISTS: Final = int(error_codes_pb2.ALREADY_EXISTS)
PERMISSION_DENIED: Final = int(error_codes_pb2.PERMISSION_DENIED)
UNAUTHENTICATED: Final = int(error_codes_pb2.UNAUTHENTICATED)
RESOURCE_EXHAUSTED: Final = int(error_codes_pb2.RESOURCE_EXHAUSTED)
FAILED_PRECONDITION: Final = int(error_codes_pb2.FAILED_PRECONDITION)
ABORTED: Final = int(error_codes_pb2.ABORTED)
OUT_OF_RANGE: Final = int(error_codes_pb2.OUT_OF_RANGE)
UNIMPLEMENTED: Final = int(error_codes_pb2.UNIMPLEMENTED)
INTERNAL: Final = int(error_codes_pb2.INTERNAL)
UNAVAILABLE: Final = int(error_codes_pb2.UNAVAILABLE)
DATA_LOSS: Final = int(error_codes_pb2.DATA_LOSS)


class _Status:
    """A code and a message that code of a C interface would set."""

    def __init__(self) -> None:
        """All is well."""
        self.code = OK
        self.message = ""


class raise_exception_on_not_ok_status:
    """Context that gives a status, and raises the error that the body has set in it."""

    def __enter__(self) -> _Status:
        """Gives a status that says that all is well."""
        self._status = _Status()
        return self._status

    def __exit__(self, *exception: object) -> None:
        """Raises the error of the status."""
        if self._status.code != OK:
            raise exception_type_from_error_code(self._status.code)(  # type: ignore[call-arg]
                None, None, self._status.message
            )


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value, for example as a condition."""


class InaccessibleTensorError(ValueError):
    """A tensor was used outside the graph or function it belongs to."""


class OpError(Exception):
    """Base class of the errors of graph execution.

    Args:
        node_def: `NodeDef` of the node that failed, None if no node did.
        op: `Operation` that failed, None if it is not known on this side.
        message: What happened.
        error_code: One of the code constants of this module.
        *args: Optionally one dict with further details.
    """

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        error_code: int,
        *args: dict[Any, Any],
    ) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads: dict[Any, Any] = args[0] if args else {}
        self._report: ErrorReport | None = None

    @property
    def message(self) -> str:
        """What happened."""
        return self._message

    @property
    def op(self) -> Any:
        """`Operation` that failed; None if it is unknown or was made by the runtime."""
        return self._op

    @property
    def error_code(self) -> int:
        """Code of the error, one of the constants of this module."""
        return self._error_code

    @property
    def node_def(self) -> node_def_pb2.NodeDef | None:
        """`NodeDef` of the node that failed, if one did."""
        return self._node_def

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """Further details."""
        return self._experimental_payloads

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        text = f"{self._message}\n\nOriginal stack trace for {self._op.name!r}:\n"
        text += _created_at(self._op)
        original = getattr(self._op, "_original_op", None)
        while original is not None:
            text += f"\n...which was originally created as op {original.name!r}, defined at:\n"
            text += _created_at(original)
            original = getattr(original, "_original_op", None)
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        # The operation stays behind: it holds its whole graph.
        node = self._node_def
        node_fields = None if node is None else (node.name, node.op, node.device)
        fields = (self._message, self._error_code, self._experimental_payloads, self._report)
        return _restore, (type(self), node_fields, *fields)


def _created_at(op: Any) -> str:
    return "".join(traceback.format_list(getattr(op, "traceback", ())))


def _restore(
    cls: type[OpError],
    node_fields: tuple[str, str, str] | None,
    message: str,
    error_code: int,
    payloads: dict[Any, Any],
    report: ErrorReport | None,
) -> OpError:
    """Unpickle: subclasses may have constructors of their own, so only the base's one runs."""
    error = cls.__new__(cls)
    node = None
    if node_fields is not None:
        name, op, device = node_fields
        node = node_def_pb2.NodeDef(name=name, op=op, device=device)
    OpError.__init__(error, node, None, message, error_code, payloads)
    error._report = report
    return error


class CancelledError(OpError):
    """The operation was cancelled, for example by closing its session or queue."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, CANCELLED, *args)


class UnknownError(OpError):
    """The error gives too little information for another class."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, UNKNOWN, *args)


class InvalidArgumentError(OpError):
    """An argument is wrong whatever the state of the system."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, INVALID_ARGUMENT, *args)


class DeadlineExceededError(OpError):
    """A time limit passed before the operation completed."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED, *args)


class NotFoundError(OpError):
    """Something asked for (file, device, tensor in a checkpoint) does not exist."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, NOT_FOUND, *args)


class AlreadyExistsError(OpError):
    """Something to be created exists already."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, ALREADY_EXISTS, *args)


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, PERMISSION_DENIED, *args)


class UnauthenticatedError(OpError):
    """The caller did not prove who it is."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, UNAUTHENTICATED, *args)


class ResourceExhaustedError(OpError):
    """Memory, disk space or a quota ran out."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, *args)


class FailedPreconditionError(OpError):
    """The system is not in the needed state, for example an uninitialized variable is read."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, FAILED_PRECONDITION, *args)


class AbortedError(OpError):
    """The operation was abandoned because of a conflict; trying again may succeed."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, ABORTED, *args)


class OutOfRangeError(OpError):
    """The operation went past the end, for example of a closed queue or a data set."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, OUT_OF_RANGE, *args)


class UnimplementedError(OpError):
    """The operation is not supported for these arguments or on this device."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, UNIMPLEMENTED, *args)


class InternalError(OpError):
    """An invariant of the system broke: a defect."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, INTERNAL, *args)


class UnavailableError(OpError):
    """A process or device is gone for now; trying again later may succeed."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, UNAVAILABLE, *args)


class DataLossError(OpError):
    """Stored data is lost or damaged."""

    def __init__(
        self,
        node_def: node_def_pb2.NodeDef | None,
        op: Any,
        message: str,
        *args: Any,
    ) -> None:
        super().__init__(node_def, op, message, DATA_LOSS, *args)


_CLASS_OF_CODE: Final[dict[int, type[OpError]]] = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    UNAUTHENTICATED: UnauthenticatedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
}
_CODE_OF_CLASS: Final[dict[type[OpError], int]] = {
    cls: code for code, cls in _CLASS_OF_CODE.items()
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Exception class of a code.

    Raises:
        KeyError: No class has this code.
    """
    return _CLASS_OF_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> Any:
    """Code of an exception class; for a class without one, a warning and an `UnknownError`."""
    try:
        return _CODE_OF_CLASS[cls]
    except KeyError:
        warnings.warn("Unknown class exception", stacklevel=2)
        return UnknownError(None, None, "Unknown class exception", {})


# Codes of Python exceptions that kernels and Python functions raise; the first match counts.
_CODE_OF_PYTHON_ERROR: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (NotImplementedError, UNIMPLEMENTED),
    (MemoryError, RESOURCE_EXHAUSTED),
    (TimeoutError, DEADLINE_EXCEEDED),
    (FileNotFoundError, NOT_FOUND),
    (FileExistsError, ALREADY_EXISTS),
    (PermissionError, PERMISSION_DENIED),
    (ConnectionError, UNAVAILABLE),
    (StopIteration, OUT_OF_RANGE),
    (TypeError, INVALID_ARGUMENT),
    (ValueError, INVALID_ARGUMENT),
)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An error of graph execution in plain fields, fit to cross a process.

    Attributes:
        code: One of the code constants of this module.
        message: What happened, without where.
        node_name: Node that failed, empty if none did.
        op_type: Type of that node.
        device: Full name of the device it ran on.
        inputs: Dtypes and shapes of its inputs, e.g. `float32[2,3], int32[]`.
        created_at: `file:line` of the user's code that made the node.
    """

    code: int
    message: str
    node_name: str = ""
    op_type: str = ""
    device: str = ""
    inputs: str = ""
    created_at: str = ""

    @property
    def text(self) -> str:
        """The message followed by a line for each thing known about where it happened.

        A message that tags the node itself says where already.
        """
        if self.node_name and f"{{{{node {self.node_name}}}}}" in self.message:
            return self.message
        lines = [self.message]
        if self.node_name:
            lines.append(f"[[{{{{node {self.node_name}}}}}]]")
        if self.device:
            lines.append(f"device: {self.device}")
        if self.inputs:
            lines.append(f"inputs: {self.inputs}")
        if self.created_at:
            lines.append(f"defined at {self.created_at}")
        return "\n\t ".join(lines)

    def to_exception(self, op: Any = None) -> OpError:
        """The exception to raise.

        Args:
            op: `Operation` of the node, where it is known.
        """
        node = None
        if self.node_name:
            node = node_def_pb2.NodeDef(name=self.node_name, op=self.op_type, device=self.device)
        cls = _CLASS_OF_CODE.get(self.code)
        error: OpError
        if cls is None:
            error = OpError(node, op, self.text, self.code)
        else:
            error = cls(node, op, self.text)  # type: ignore[call-arg]
        error._report = self
        return error

    @classmethod
    def from_exception(cls, error: BaseException) -> ErrorReport:
        """Describe an exception; one made by `to_exception` gives back its report.

        A Python exception that is no `OpError` gets the code that fits its class best, INTERNAL if
        none does, and its class's name in the message.
        """
        if not isinstance(error, OpError):
            matches = (code for kind, code in _CODE_OF_PYTHON_ERROR if isinstance(error, kind))
            return cls(code=next(matches, INTERNAL), message=f"{type(error).__name__}: {error}")
        if error._report is not None:
            return error._report
        node = error.node_def
        op = error.op
        return cls(
            code=error.error_code,
            message=error.message,
            node_name=node.name if node is not None else getattr(op, "name", ""),
            op_type=node.op if node is not None else getattr(op, "type", ""),
            device=node.device if node is not None else getattr(op, "device", ""),
            created_at=getattr(op, "traceback_line", ""),
        )


def __dir__() -> list[str]:
    """The codes, errors and functions of this module, without what it imports."""
    return sorted(
        name
        for name, value in globals().items()
        if not name.startswith("_")
        and (isinstance(value, int) or getattr(value, "__module__", "") == __name__)
    )
