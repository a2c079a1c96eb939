"""The kernel registry: `@kernel` and `@override` fill it, `find` and `describe` ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from dataflow.kernels.contract.functions import Function
from dataflow.kernels.contract.handles import checked
from dataflow.kernels.contract.precision import module_for
from dataflow.kernels.contract.python_functions import PythonFunctions
from dataflow.kernels.contract.rank import bounded
from dataflow.kernels.contract.resources import ResourceManager
from dataflow.kernels.contract.session_tensors import SessionTensors
from dataflow.values.dtypes import DType


class KernelNode(Protocol):
    """What a bind function may know of the node it binds."""

    @property
    def name(self) -> str:
        """The node's name."""

    @property
    def op(self) -> str:
        """The op type."""

    @property
    def device(self) -> str:
        """Full name of the device the node runs on."""

    @property
    def input_dtypes(self) -> Sequence[DType]:
        """Element types of the inputs, lists flattened; refs as ref types."""

    @property
    def output_dtypes(self) -> Sequence[DType]:
        """Element types of the outputs, lists flattened."""

    @property
    def input_names(self) -> Sequence[str]:
        """The tensors that are its inputs, lists flattened: `node`, or `node:1` and so on."""

    @property
    def resources(self) -> ResourceManager:
        """State of the device that outlives a step: variables, queues, tables."""

    @property
    def session_tensors(self) -> SessionTensors:
        """Tensors that the session keeps on the device."""

    def function(self, name: str) -> Function:
        """The function that an attr of kind func names."""

    @property
    def python_functions(self) -> PythonFunctions:
        """Functions of the program that the session's nodes may call."""

    def attr(self, name: str) -> Any:
        """Decoded attr value; defaults are filled in.

        Raises:
          KeyError: The node has no such attr.
        """


Bind = Callable[[KernelNode, Any], Callable[..., Any]]
_Bound = TypeVar("_Bound", bound=Bind)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A registered kernel: how to bind it, and what a plan must know about it."""

    op: str
    bind: Bind
    device: str
    dtypes: Mapping[str, frozenset[DType]] = field(default_factory=dict)
    """Values of type attrs it serves; attrs that are not named are free."""
    elementwise: bool = False
    """Each output element depends on the input elements at its place only (after broadcasting)."""
    broadcasts: bool = False
    """An elementwise callable broadcasts any of its inputs, as numpy's functions do."""
    takes_out: bool = False
    """The callable takes `out=`: None, or an array of the result's shape and type, which it fills
    and returns; it is none of the inputs."""
    host_inputs: tuple[str, ...] = ()
    """Input arguments that live in host memory on every device."""
    host_outputs: tuple[str, ...] = ()
    """Output arguments that live in host memory on every device."""
    passes: bool = False
    """It keeps or passes its inputs, which stay in the memory that is their type's."""
    grows: bool = False
    """The output may have more dimensions than any input: `bound` sees to it that it has not too
    many. There is one output."""
    needs_step: bool = False
    """The callable takes the StepContext as its first argument."""
    blocking: bool = False
    """The callable waits for others without holding the thread: it takes (step, done, *inputs),
    returns at once and has `done(outputs)` or `done(error=error)` called once, from any thread;
    it must see to it, with `step.on_cancel`, that this also happens when the step is cancelled."""
    handle: type | None = None
    """What the handle that is the first input refers to."""
    cost: float | None = None
    """Estimated time of a call in seconds, where the size of the inputs does not decide it."""

    def bound(self, node: KernelNode, xp: Any) -> Callable[..., Any]:
        """The callable for a node, on an array module."""
        if self.elementwise:
            xp = module_for(xp, *node.input_dtypes)
        call = self.bind(node, xp)
        if self.handle is not None:
            call = checked(call, self.handle, 2 if self.blocking else 1 if self.needs_step else 0)
        return bounded(call) if self.grows else call


_KERNELS: dict[tuple[str, str], list[Kernel]] = {}
ANY_DEVICE = "*"
"""Device of the generic kernels, that are written against `xp` and serve each array library."""


def kernel(
    *ops: str,
    device: str = ANY_DEVICE,
    dtypes: Mapping[str, Iterable[DType]] | None = None,
    **traits: Any,
) -> Callable[[_Bound], _Bound]:
    """Registers a bind function for op types.

    The bind function is called once when a plan is built, `bind(node, xp)`, and returns the
    callable of each step: it takes the input arrays and returns the output array, a tuple of them
    where the op has several outputs, or None where it has none. Inputs are numpy or cupy arrays or
    numpy scalars and are never written to, unless `out=` is passed.

    Args:
      *ops: Op types.
      device: Device type the kernel is for; a kernel for one type goes before a generic one.
      dtypes: Restricts type attrs: `{"T": [float32, float64]}`.
      **traits: Further fields of `Kernel`.

    Raises:
      ValueError: A kernel for the same op, device and dtypes is registered already.
    """
    restricted = {name: frozenset(values) for name, values in (dtypes or {}).items()}

    def register(bind: _Bound) -> _Bound:
        for op in ops:
            _add(Kernel(op=op, bind=bind, device=device, dtypes=restricted, **traits))
        return bind

    return register


def override(generic: Bind, *ops: str, device: str) -> Callable[[_Bound], _Bound]:
    """Registers a bind function that goes before a generic one on one device type.

    Element types and traits are those of the generic kernels: both must keep to them.

    Args:
      generic: A bind function that is registered for any device.
      *ops: Those of its op types that are meant; none means all.
      device: Device type the kernels are for.

    Raises:
      ValueError: There is no such generic kernel.
    """
    meant = [
        entry
        for (_, of), entries in _KERNELS.items()
        if of == ANY_DEVICE
        for entry in entries
        if entry.bind is generic and (not ops or entry.op in ops)
    ]
    if not meant or not {entry.op for entry in meant}.issuperset(ops):
        raise ValueError(f"No generic kernel for {ops or 'any op'} is bound by {_place(generic)}.")

    def register(bind: _Bound) -> _Bound:
        for entry in meant:
            _add(replace(entry, bind=bind, device=device))
        return bind

    return register


def _add(entry: Kernel) -> None:
    entries = _KERNELS.setdefault((entry.op, entry.device), [])
    for other in entries:
        if other.dtypes == entry.dtypes:
            raise ValueError(
                f"Two kernels for op '{entry.op}' on {entry.device} with the same dtypes: "
                f"{_place(other.bind)} and {_place(entry.bind)}."
            )
    entries.append(entry)


def find(op: str, device_type: str, attrs: Mapping[str, Any]) -> Kernel | None:
    """The kernel for an op on a device type under these (type) attrs, or None.

    Among kernels that fit, one for the device type goes before a generic one, and one that
    restricts more type attrs before one that restricts fewer.
    """
    for device in (device_type, ANY_DEVICE):
        if device == ANY_DEVICE and device_type not in _generic_device_types:
            continue
        found: Kernel | None = None
        for candidate in _KERNELS.get((op, device), ()):
            closer = found is None or len(candidate.dtypes) > len(found.dtypes)
            if closer and _fits(candidate, attrs):
                found = candidate
        if found is not None:
            return found
    return None


def supports(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
    """True if a kernel for the op exists on that device type under these attrs."""
    return find(op, device_type, attrs) is not None


_generic_device_types: set[str] = {"CPU", "GPU"}


def serve_generic_kernels(device_type: str) -> None:
    """Lets a device type run the generic kernels on its array library."""
    _generic_device_types.add(device_type)


def device_types_of(op: str) -> tuple[str, ...]:
    """The device types that have a kernel of an op, under whatever attrs."""
    found = {device for name, device in _KERNELS if name == op}
    if ANY_DEVICE in found:
        found = found - {ANY_DEVICE} | _generic_device_types
    return tuple(sorted(found))


def describe(op: str | None = None) -> list[str]:
    """Lines that list the registered kernels, of one op or of all, as TensorFlow prints them."""
    lines = []
    for (name, device), entries in sorted(_KERNELS.items()):
        if op in (None, name):
            shown = [k for k in entries if not _is_override(k)]
            lines += [_describe_one(k, device, with_op=op is None) for k in shown]
    return lines


def _is_override(entry: Kernel) -> bool:
    """True if the line of a generic kernel tells of this one, too."""
    generic = () if entry.device == ANY_DEVICE else _KERNELS.get((entry.op, ANY_DEVICE), ())
    return any(other.dtypes == entry.dtypes for other in generic)


def _fits(candidate: Kernel, attrs: Mapping[str, Any]) -> bool:
    if not candidate.dtypes:
        return True
    return all(attrs.get(name) in allowed for name, allowed in candidate.dtypes.items())


def _describe_one(entry: Kernel, device: str, with_op: bool) -> str:
    shown = "CPU, GPU" if device == ANY_DEVICE else device
    parts = [f"op='{entry.op}'"] if with_op else []
    parts.append(f"device='{shown}'")
    for name, allowed in sorted(entry.dtypes.items()):
        names = ", ".join(sorted(f"DT_{d.name.upper()}" for d in allowed))
        parts.append(f"{name} in [{names}]")
    return "; ".join(parts)


def _place(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"
