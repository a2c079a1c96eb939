"""What a Saver saves: variables and parts of variables, by name, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.ops.state.reference import assign
from dataflow.values.dtypes import DType
from dataflow.variables.base import BaseVariable
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.resource_variable_base import BaseResourceVariable

_VARIABLE_OPS = frozenset({"Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"})


@dataclass(frozen=True, eq=False)
class Saveable:
    """A variable, or a part of one, under its name in a checkpoint."""

    name: str
    op: Operation
    tensor: Tensor
    """Its value, or a reference to it."""
    spec: str
    """Which part of the variable of that name it is, in the form of `SaveSliceInfo.spec`; or ""."""
    dtype: DType
    device: str
    assign: Callable[[Any, bool], Any]
    """`f(value, reshaped)`: an operation that gives it a value."""


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
    for item in var_list:
        if not isinstance(item, PartitionedVariable) and not _is_variable(item):
            raise TypeError(f"Variable to save is not a Variable: {item}")
    return list(var_list)


def _is_variable(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.op.type in _VARIABLE_OPS
    return isinstance(item, BaseVariable)


def _name(item: Any) -> str:
    if isinstance(item, BaseResourceVariable):
        return item._shared_name
    name: str = item.op.name
    return name


def saveables(names_to_variables: Mapping[str, Any]) -> list[Saveable]:
    """What is to be saved, sorted by name.

    Args:
      names_to_variables: A variable, or the parts of one, for each name.

    Raises:
      TypeError: A name is no string, or something is no variable.
      ValueError: A variable has two names.
    """
    found: list[Saveable] = []
    seen: set[Operation] = set()
    for name in sorted(names_to_variables):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable "
                f"objects. Name is not a string: {name}"
            )
        item = names_to_variables[name]
        for variable in item if isinstance(item, (list, tuple, PartitionedVariable)) else (item,):
            if not _is_variable(variable):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to Tensors/"
                    f"Variables. Not a variable: {variable}"
                )
            if variable.op in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(variable.op)
            found.append(_saveable(name, variable))
    return found


def _saveable(name: str, variable: Any) -> Saveable:
    info = variable._get_save_slice_info() if isinstance(variable, BaseVariable) else None
    spec = "" if info is None else info.spec
    if isinstance(variable, BaseResourceVariable):
        return Saveable(
            name,
            variable.op,
            variable._as_graph_element(),
            spec,
            variable.dtype,
            variable.device,
            _resource_assignment(variable),
        )
    tensor: Tensor = variable if isinstance(variable, Tensor) else variable._ref()
    # A part of a variable is read by its own op.
    value = tensor if info is None else variable.value()

    def set_value(restored: Any, reshaped: bool) -> Any:
        checks = not reshaped and tensor.shape.is_fully_defined()
        return assign(tensor, restored, validate_shape=checks)

    return Saveable(
        name, tensor.op, value, spec, tensor.dtype.base_dtype, tensor.op.device, set_value
    )


def _resource_assignment(variable: Any) -> Callable[[Any, bool], Any]:
    def set_value(restored: Any, reshaped: bool) -> Any:
        with scopes.device(variable.device):
            value = identity(restored)
            variable.shape.assert_is_compatible_with(value.shape)
            return single("AssignVariableOp", variable.handle, value, dtype=variable.dtype)

    return set_value
