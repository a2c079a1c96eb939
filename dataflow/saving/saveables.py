"""What a Saver saves: variables, parts of variables and other objects, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.ops.state.reference import assign
from dataflow.variables.base import BaseVariable
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.resource_variable_base import BaseResourceVariable

VARIABLE_VALUE_KEY: Final = "VARIABLE_VALUE"
"""What the value of a variable is called among what is saved of an object."""
_VARIABLE_OPS = frozenset({"Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"})


class ReferenceVariableSaveable(SaveableObject):
    """A variable of references, or a part of one."""

    def __init__(
        self, var: Tensor, slice_spec: str, name: str, value: Tensor | None = None
    ) -> None:
        """Wraps a reference.

        Args:
          var: The reference.
          slice_spec: Which part of the variable of that name it is, or "".
          name: Its name in checkpoints.
          value: What is saved, if not the reference.
        """
        self._reference = var
        saved = var if value is None else value
        spec = SaveSpec(saved, slice_spec, name, var.dtype.base_dtype, var.op.device)
        super().__init__(var.op, [spec], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that assigns what was saved."""
        (value,) = restored_tensors
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        checks = restored_shapes is None and self._reference.shape.is_fully_defined()
        return assign(self._reference, value, validate_shape=checks)


class ResourceVariableSaveable(SaveableObject):
    """A variable behind a handle, or a part of one."""

    def __init__(self, var: BaseResourceVariable, slice_spec: str, name: str) -> None:
        """Wraps a variable.

        Args:
          var: The variable.
          slice_spec: Which part of the variable of that name it is, or "".
          name: Its name in checkpoints.
        """
        self._variable = var
        saved = self._read if slice_spec else var._as_graph_element()
        spec = SaveSpec(saved, slice_spec, name, var.dtype, var.device)
        super().__init__(var.op, [spec], name)

    def _read(self) -> Tensor:
        """The value of a part, on the host of its device, which writes it."""
        with scopes.device(self._variable.device):
            value = self._variable.read_value()
            with scopes.device("/device:CPU:0"):
                read: Tensor = identity(value)
        return read

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that assigns what was saved."""
        (value,) = restored_tensors
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        variable = self._variable
        with scopes.device(variable.device):
            value = identity(value)
            variable.shape.assert_is_compatible_with(value.shape)
            return single("AssignVariableOp", variable.handle, value, dtype=variable.dtype)


def by_name(var_list: Iterable[Any]) -> dict[str, Any]:
    """Variables by the names they have in checkpoints; parts of one variable as a list.

    Raises:
      TypeError: Something is no variable.
      ValueError: Two have one name.
    """
    found: dict[str, Any] = {}
    for item in sorted(_flat(var_list), key=lambda item: item.name):
        own = _saved_of(item)
        if own is not None:
            found |= by_name([part() if callable(part) else part for part in own.values()])
            continue
        info = item._get_save_slice_info() if isinstance(item, BaseVariable) else None
        if isinstance(item, PartitionedVariable):
            name, value = item.name, list(item)
        elif info is not None:
            name = info.full_name or ""
            others = found.setdefault(name, [])
            if not isinstance(others, list):
                raise ValueError(f"At least two variables have the same name: {name}")
            others.append(item)
            continue
        else:
            name, value = _name(item), item
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = value
    return found


def _flat(var_list: Any) -> list[Any]:
    if not isinstance(var_list, (list, tuple, set, frozenset)):
        raise TypeError(f"Variables to save should be passed in a dict or a list: {var_list}")
    for item in var_list:
        if not (
            isinstance(item, (PartitionedVariable, SaveableObject))
            or _is_variable(item)
            or _saved_of(item) is not None
        ):
            raise TypeError(f"Variable to save is not a Variable: {item}")
    return list(var_list)


def _is_variable(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.op.type in _VARIABLE_OPS
    return isinstance(item, BaseVariable)


def _saved_of(item: Any) -> dict[str, Any] | None:
    """What an object that is no variable says is saved of it, or what makes it; None of others."""
    gather = getattr(item, "_gather_saveables_for_checkpoint", None)
    if gather is None or isinstance(item, SaveableObject) or _is_variable(item):
        return None
    found: dict[str, Any] = gather()
    return found


def _name(item: Any) -> str:
    if isinstance(item, SaveableObject):
        return item.name
    if isinstance(item, BaseResourceVariable):
        return item._shared_name
    name: str = item.op.name
    return name


def saveables(names_to_variables: Mapping[str, Any]) -> list[SaveableObject]:
    """What is to be saved, sorted by name.

    Args:
      names_to_variables: A variable, the parts of one, or another object for each name.

    Raises:
      TypeError: A name is no string, or something cannot be saved.
      ValueError: A variable has two names.
    """
    found: list[SaveableObject] = []
    seen: set[Any] = set()
    for name in sorted(names_to_variables):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable "
                f"objects. Name is not a string: {name}"
            )
        for full_name, variable in _parts(name, names_to_variables[name]):
            if not isinstance(variable, SaveableObject) and not _is_variable(variable):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to Tensors/"
                    f"Variables. Not a variable: {variable}"
                )
            if variable.op in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(variable.op)
            found.append(_saveable(full_name, variable))
    return found


def saveable_objects_for_op(op: Any, name: str) -> Iterator[SaveableObject]:
    """What is saved of something under a name.

    Raises:
      TypeError: The name is no string, or it cannot be saved.
    """
    yield from saveables({name: op})


def _parts(name: str, item: Any) -> Iterator[tuple[str, Any]]:
    """What is saved of something that has a name in checkpoints, each with its name."""
    if isinstance(item, (list, tuple, PartitionedVariable)):
        yield from ((name, part) for part in item)
        return
    own = _saved_of(item)
    if own is None:
        yield name, item
        return
    for attribute, part in own.items():
        full_name = name if attribute == VARIABLE_VALUE_KEY else f"{name}_{attribute}"
        if callable(part):
            yield full_name, part(full_name)
        else:
            yield from _parts(full_name, part)


def _saveable(name: str, variable: Any) -> SaveableObject:
    if isinstance(variable, SaveableObject):
        return variable
    info = variable._get_save_slice_info() if isinstance(variable, BaseVariable) else None
    spec = "" if info is None else info.spec
    if isinstance(variable, BaseResourceVariable):
        return ResourceVariableSaveable(variable, spec, name)
    tensor: Tensor = variable if isinstance(variable, Tensor) else variable._ref()
    # A part of a variable is read by its own op.
    return ReferenceVariableSaveable(tensor, spec, name, None if info is None else variable.value())
