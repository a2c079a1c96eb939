"""The scopes open on a graph, per thread: names, devices, colocation, control dependencies."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dataflow.graph import default_stacks
from dataflow.graph.creation_site import CreationSite
from dataflow.graph.parts.places import OpenScope
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.values import attrs as attr_codec
from dataflow.values import devices
from dataflow.values.devices import DeviceSpec

if TYPE_CHECKING:
    from dataflow.graph.operation import Operation

DeviceFunction = Callable[["Operation"], Any]

_ROOT_SCOPE = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_INNER_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class ControlScope:
    """One `control_dependencies` context: its operations, and what was made inside."""

    __slots__ = ("control_inputs", "is_new_stack", "seen")

    def __init__(self, control_inputs: list[Operation], is_new_stack: bool) -> None:
        self.control_inputs = control_inputs
        self.is_new_stack = is_new_stack
        self.seen: set[Operation] = set()


class GraphScopes(threading.local):
    """What a thread's open scopes add to the operations it makes."""

    def __init__(self) -> None:
        super().__init__()
        self.name_stack = ""
        self.control_stack: list[ControlScope] = []
        self.device_stack: list[OpenScope] = []
        self.merged_device: str | None = ""
        """The device all scopes merge to, or None if a device function has to be asked."""
        self.hidden_device_stack: list[OpenScope] | None = None
        """The device scopes that the outermost colocation scope hides; None outside of such."""
        self.lifts_hidden_devices: bool | None = None
        """Whether an `init_scope` here brings those back; None outside of every `init_scope`."""
        self.colocation_stack: list[OpenScope] = []
        self.container = ""
        self.attrs: dict[str, Any] = {}
        self.gradient_overrides: dict[str, str] = {}
        self.kernel_labels: dict[str, str] = {}
        self.original_op: Operation | None = None
        self.control_flow_context: Any = None
        """The innermost open `dataflow.control_flow` context."""

    @contextmanager
    def swapped(self, **values: Any) -> Iterator[None]:
        """Sets fields inside the context and puts the old values back after it."""
        old = {name: getattr(self, name) for name in values}
        for name, value in values.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in old.items():
                setattr(self, name, value)

    @contextmanager
    def device(self, entry: Any, site: CreationSite | None = None) -> Iterator[None]:
        """Adds a device scope: a string, a DeviceSpec, a function of an operation, or None.

        Args:
          entry: The device.
          site: Where the program opens the scope.

        Raises:
          TypeError: `entry` is something else.
          RuntimeError: Scopes are left in another order than the reverse of entering.
        """
        if isinstance(entry, DeviceSpec):
            entry = entry.to_string()
        if entry is not None and not isinstance(entry, str) and not callable(entry):
            raise TypeError(
                f"A device is a string, a DeviceSpec, a function or None, not {entry!r} "
                f"of type {type(entry).__name__}."
            )
        outer = self.device_stack, self.merged_device
        stack = [*self.device_stack, OpenScope(entry, site)]
        self.device_stack, self.merged_device = stack, _merge_strings(stack)
        try:
            yield
        finally:
            if self.device_stack is not stack:
                raise RuntimeError("Exiting device scope without proper scope nesting.")
            self.device_stack, self.merged_device = outer

    @contextmanager
    def lifted_devices(self, inner: list[OpenScope]) -> Iterator[None]:
        """Brings back, where colocation has hidden them, the device scopes of an `init_scope`.

        Args:
          inner: The device scopes of a function that the scope leaves; they go first.
        """
        hidden = self.hidden_device_stack
        lifts = self.lifts_hidden_devices
        if lifts is None:
            # TensorFlow finds them where the graph was made the default.
            lifts = bool(default_stacks.graphs.stack)
        stack = inner or self.device_stack or (hidden or [] if lifts else [])
        with self.swapped(
            device_stack=stack,
            merged_device=_merge_strings(stack),
            hidden_device_stack=None,
            lifts_hidden_devices=bool(self.device_stack) or hidden is None,
        ):
            yield

    @contextmanager
    def colocated(
        self, op: Operation | None, ignore_existing: bool, site: CreationSite | None
    ) -> Iterator[None]:
        """Adds a colocation scope, which hides the device scopes."""
        outer = [] if ignore_existing else self.colocation_stack
        stack = [*outer, OpenScope(op, site)] if op is not None else outer
        hidden = self.device_stack if self.hidden_device_stack is None else self.hidden_device_stack
        with self.swapped(
            colocation_stack=stack, device_stack=[], merged_device="", hidden_device_stack=hidden
        ):
            yield

    @contextmanager
    def overriding_gradients(self, op_type_map: Any) -> Iterator[None]:
        """Gives op types other gradient functions.

        Raises:
          TypeError: `op_type_map` is not a dictionary from strings to strings.
        """
        if not isinstance(op_type_map, dict) or not all(
            isinstance(item, str) for pair in op_type_map.items() for item in pair
        ):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        with self.swapped(gradient_overrides={**self.gradient_overrides, **op_type_map}):
            yield

    @contextmanager
    def with_attrs(self, attr_map: dict[str, Any]) -> Iterator[None]:
        """Adds attrs, decoded, as AttrValue, or as what gives one for a NodeDef, or None.

        A value None takes an outer one off.
        """
        added = {
            key: attr_codec.decode(value) if isinstance(value, AttrValue) else value
            for key, value in attr_map.items()
        }
        with self.swapped(attrs={**self.attrs, **added}):
            yield

    def apply(self, op: Operation, with_device: bool = True) -> None:
        """Gives a new operation what the open scopes say, but for control inputs."""
        for key, value in self.attrs.items():
            if callable(value):
                value = value(op.node_def)
                value = value if value is None else attr_codec.decode(value)
            if value is not None and key not in op.attrs:
                op.attrs[key] = value
        if op.type in self.gradient_overrides:
            op.attrs["_gradient_op_type"] = self.gradient_overrides[op.type].encode()
        if op.type in self.kernel_labels:
            op.attrs["_kernel"] = self.kernel_labels[op.type].encode()
        if self.device_stack or self.colocation_stack:
            op._scopes_around = self.device_stack, self.colocation_stack
        op._original_op = self.original_op
        if with_device and self.merged_device != "":
            self.apply_device(op)
        if self.colocation_stack:
            self._apply_colocation(op)
        if self.container and op.op_def.is_stateful and op.attrs.get("container") == b"":
            op.attrs["container"] = self.container.encode()

    def apply_device(self, op: Operation) -> None:
        """Sets the device of a new operation, innermost scope first."""
        if self.merged_device is not None:
            op._set_device_from_string(self.merged_device)
            return
        for scope in reversed(self.device_stack):
            entry = scope.what
            if entry is None:
                break
            if callable(entry):
                op._set_device_from_string(_function_result(entry(op)))
            elif entry:
                op._set_device_from_string(merged_over(entry, op.device))

    def _apply_colocation(self, op: Operation) -> None:
        """Colocates a new operation with those of the open colocation scopes."""
        groups: set[bytes] = set()
        device = ""
        for scope in reversed(self.colocation_stack):
            other = scope.what
            groups.update(other.colocation_groups())
            if other.device and not device:
                device = other.device
        if device:
            op._set_device_from_string(device)
        op.attrs["_class"] = tuple(sorted(groups))

    def control_inputs_for(self, inputs: Iterable[Operation]) -> list[Operation]:
        """What a new operation waits for, less what its inputs wait for already."""
        found: list[Operation] = []
        for scope in self.control_stack:
            if scope.seen.isdisjoint(inputs):
                taken = set(inputs)
                found += [op for op in scope.control_inputs if op not in taken and op not in found]
        return found

    def note_made(self, op: Operation) -> None:
        """Remembers that an operation was made inside the open control scopes."""
        for scope in self.control_stack:
            scope.seen.add(op)

    @contextmanager
    def control_dependencies(self, ops: list[Operation] | None) -> Iterator[ControlScope]:
        """Adds a control scope; None forgets the outer ones, and leaves branches and loops."""
        scope = ControlScope(ops or [], is_new_stack=ops is None)
        if not scope.is_new_stack:
            with self.swapped(control_stack=[*self.control_stack, scope]):
                yield scope
        else:
            with self.swapped(control_stack=[scope], control_flow_context=None):
                yield scope

    def check_name(self, name: str) -> None:
        """Raises ValueError if a scope or operation cannot have this name here."""
        if self.name_stack:
            if not _INNER_SCOPE.match(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        elif not _ROOT_SCOPE.match(name):
            raise ValueError(f"'{name}' is not a valid scope name")


def _function_result(device: Any) -> str:
    """What a device function says is all there is: it sees the device of the inner scopes."""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if not isinstance(device, str):
        raise TypeError(f"Expected binary or unicode string, got {device!r}")
    return device


def merged_over(outer: str, inner: str) -> str:
    """The outer device with the fields that the inner one sets put over it."""
    if not outer:
        return inner
    spec = devices.DeviceSpec.from_string(outer)
    if not inner:
        return spec.to_string()
    return spec.make_merged_spec(devices.DeviceSpec.from_string(inner)).to_string()


def _merge_strings(stack: list[OpenScope]) -> str | None:
    merged = ""
    for scope in reversed(stack):
        entry = scope.what
        if entry is None:
            break
        if callable(entry):
            return None
        merged = merged_over(entry, merged)
    return merged
