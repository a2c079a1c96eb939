"""tf.CriticalSection: parts of the graph of which one at a time is executed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, get_default_graph, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.grouping import tuple as all_of
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes, nest

CRITICAL_SECTIONS: Final = "critical_sections"
CRITICAL_SECTION_EXECUTIONS: Final = "critical_section_executions"
_OWN_SECTION: Final = (
    "The function fn attempts to directly access the CriticalSection in which it would be running. "
    " This is illegal and would cause deadlocks."
)
_open: Final = threading.local()


class _Execution(NamedTuple):
    """What a section does with resources."""

    op: Operation
    handle: Tensor
    resources: list[Tensor]
    exclusive_resource_access: bool


class CriticalSection:
    """A lock in the graph: what is executed in it is executed one after the other.

    Args:
      name: Name of the operation.
      shared_name: Under which sessions share the lock; the operation's name if None.
      critical_section_def: Not supported.
      import_scope: Not supported.

    Raises:
      ValueError: `critical_section_def` is given.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def and name is not None:
            raise ValueError(
                f"Arguments critical_section_def={critical_section_def} and shared_name="
                f"{shared_name} are mutually exclusive. Please only specify one of them."
            )
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with name_scope(name, "CriticalSection", []) as scope, scopes.init_scope():
            shared = scope if shared_name is None else shared_name
            self._handle: Any = apply_op("MutexV2", shared_name=shared.encode(), name=scope)
        scopes.add_to_collection(CRITICAL_SECTIONS, self)

    @property
    def name(self) -> str:
        """Name of the operation."""
        name: str = self._handle.op.name
        return name

    @property
    def _signature(self) -> tuple[bytes, bytes, str]:
        op = self._handle.op
        return op.get_attr("container"), op.get_attr("shared_name"), _place(op)

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """What a function gives, whose operations are executed while nothing else in here is.

        Args:
          fn: Builds operations; returns a structure of tensors, at least one.
          exclusive_resource_access: Whether other sections may not use the resources that it uses.
          name: Name of the scope of the operations.

        Raises:
          ValueError: `fn` executes something in this section, or another section uses its
            resources, and one of both wants them for itself.
        """
        with name_scope(name, "critical_section_execute", []), self._entered():
            lock: Any = apply_op("MutexLock", self._handle)
            graph: Any = get_default_graph()
            with graph._lock:
                before = set(graph.get_operations())
                with control_dependencies([lock]):
                    made = fn()
                created = [op for op in graph.get_operations() if op not in before]
            _wait_for_arguments(created, lock.op)
            resources = {t: None for op in created for t in op.inputs if t.dtype == dtypes.resource}
            if any(self._is_own(resource) for resource in resources):
                raise ValueError(_OWN_SECTION)
            self._check_others(resources, exclusive_resource_access)
            flat = [_identity(each) for each in nest.flatten(made)]
            with control_dependencies(flat):
                with scopes.colocate_with(self._handle):
                    consumed = apply_op("ConsumeMutexLock", lock)
                made = nest.pack_sequence_as(made, all_of(nest.flatten(made)))
            with control_dependencies([consumed]):
                outputs = nest.map_structure(_identity, made)
            done = _Execution(lock.op, self._handle, list(resources), exclusive_resource_access)
            scopes.add_to_collection(CRITICAL_SECTION_EXECUTIONS, done)
            return outputs

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        """Refuses to enter a section that is being built on this thread."""
        entered: list[Any] = _open.__dict__.setdefault("signatures", [])
        own = self._signature
        if own in entered:
            raise ValueError(_OWN_SECTION)
        entered.append(own)
        try:
            yield
        finally:
            entered.remove(own)

    def _is_own(self, tensor: Any) -> bool:
        op = tensor.op
        return bool(
            op.type == "MutexV2"
            and op.get_attr("shared_name") == self._handle.op.get_attr("shared_name")
            and _place(op) == _place(self._handle.op)
        )

    def _check_others(self, resources: dict[Tensor, None], exclusive: bool) -> None:
        for other in scopes.get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_own(other.handle) or not (exclusive or other.exclusive_resource_access):
                continue
            shared = [resource for resource in other.resources if resource in resources]
            if shared:
                raise ValueError(
                    f"This execution would access resources: {shared}. Either this lock "
                    f"(CriticalSection: {self._handle}) or lock '{other}' (CriticalSection: "
                    f"{other.handle}) requested exclusive resource access of this resource. Did "
                    "you mean to call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )


def _place(op: Operation) -> str:
    return op.device or str(op.attrs.get("_class"))


def _identity(value: Any) -> Any:
    return value if isinstance(value, Operation) else identity(value)


def _wait_for_arguments(created: list[Operation], lock: Operation) -> None:
    """Has the lock wait for what the operations are given: one that waited for the lock in turn
    would wait for ever."""
    given = {tensor.op: None for op in created for tensor in op.inputs}
    given |= {op: None for each in created for op in each.control_inputs}
    known = {*created, *lock.control_inputs, *(tensor.op for tensor in lock.inputs), lock}
    arguments = [op for op in given if op not in known]
    if arguments:
        lock._add_control_input(group(*arguments))
