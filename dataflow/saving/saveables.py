"""What a Saver saves: variables, parts of variables and other objects, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
        spec = SaveSpec(var._as_graph_element(), slice_spec, name, var.dtype, var.device)
        super().__init__(var.op, [spec], name)

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
    found: list[Any] = []
    for item in var_list:
        if isinstance(item, (PartitionedVariable, SaveableObject)) or _is_variable(item):
            found.append(item)
        elif hasattr(item, "_gather_saveables_for_checkpoint"):
            parts = item._gather_saveables_for_checkpoint()
            found += [make(item.name) for make in parts.values()]
        else:
            raise TypeError(f"Variable to save is not a Variable: {item}")
    return found


def _is_variable(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.op.type in _VARIABLE_OPS
    return isinstance(item, BaseVariable)


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
        item = names_to_variables[name]
        for variable in item if isinstance(item, (list, tuple, PartitionedVariable)) else (item,):
            if not isinstance(variable, SaveableObject) and not _is_variable(variable):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to Tensors/"
                    f"Variables. Not a variable: {variable}"
                )
            if variable.op in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(variable.op)
            found.append(_saveable(name, variable))
    return found


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
