"""Variables of models: made in their collections, and found again by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.placeholder import placeholder
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saver import Saver
from dataflow.values import dtypes
from dataflow.values.logging import warning
from dataflow.variables.scope import get_variable


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    **policy: Any,
) -> Any:
    """A variable as of `tf.get_variable`, on a device.

    Args:
      name: See `tf.get_variable`, as for what is not named here.
      shape: See above.
      dtype: float32 if None.
      initializer: See above.
      regularizer: See above.
      trainable: See above.
      collections: The only ones that it is in; that of global variables if None.
      caching_device: See above.
      device: Where it stands; a function of its operation, or a name.
      partitioner: See above.
      custom_getter: What makes it in the place of `tf.get_variable`.
      use_resource: See above.
      **policy: `synchronization` and `aggregation`.
    """
    named = collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES]
    wanted = list(dict.fromkeys(named))
    getter = custom_getter or get_variable
    with scopes.device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=wanted,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            **policy,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    **policy: Any,
) -> Any:
    """As `variable`, in the collection MODEL_VARIABLES as well."""
    wanted = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=wanted,
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        **policy,
    )


def add_model_variable(var: Any) -> None:
    """Adds a variable to MODEL_VARIABLES, once."""
    if not any(each is var for each in scopes.get_collection(GraphKeys.MODEL_VARIABLES)):
        scopes.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """Variables whose name begins with a scope's, and ends in a suffix.

    Args:
      scope: A variable scope, or a pattern for the begin of the name; all if None.
      suffix: The end of the name, without ":0".
      collection: Where they are looked for.
    """
    name = getattr(scope, "name", scope)
    if suffix is not None:
        suffix = suffix if ":" in suffix else f"{suffix}:"
        name = (name or "") + ".*" + suffix
    return list(scopes.get_collection(collection, name))


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Variables whose name ends in a suffix."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Variables whose name ends in a name that stands alone or behind a slash."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Variables of some scopes without those of others.

    Args:
      include: Scopes; all if None.
      exclude: Scopes.

    Raises:
      TypeError: If one is no list of scopes.
    """
    found = get_variables() if include is None else _of(include, "include")
    lost = set() if exclude is None else {id(each) for each in _of(exclude, "exclude")}
    return [each for each in found if id(each) not in lost]


def _of(names: Any, what: str) -> list[Any]:
    if not isinstance(names, list | tuple):
        raise TypeError(f"{what} is provided but is not a list or a tuple.")
    return [each for scope in names for each in get_variables(scope)]


def get_unique_variable(var_op_name: str) -> Any:
    """The one variable of a name.

    Raises:
      ValueError: If there is none, or several.
    """
    candidates = get_variables(var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variable_full_name(var: Any) -> str:
    """The name under which it is saved; of a slice the whole variable's."""
    info = getattr(var, "_save_slice_info", None)
    return str(info.full_name if info else var.op.name)


def filter_variables(
    var_list: Sequence[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Variables whose names match some pattern to include, and none to exclude.

    Args:
      var_list: What is chosen from.
      include_patterns: Regular expressions; all if None or empty.
      exclude_patterns: Regular expressions; none if None or empty.
      reg_search: Whether they may match anywhere in the name, not only at its begin.
    """
    match = re.search if reg_search else re.match

    def is_one(each: Any, patterns: Sequence[str]) -> bool:
        return any(match(pattern, each.op.name) for pattern in patterns)

    kept = [each for each in var_list if not include_patterns or is_one(each, include_patterns)]
    return [each for each in kept if not exclude_patterns or not is_one(each, exclude_patterns)]


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """An operation that assigns values to variables by name, and what it is to be fed.

    Raises:
      ValueError: If there is no such variable, or its shape is another one.
    """
    feeds: dict[Any, Any] = {}
    assigned = []
    for name, value in var_names_to_values.items():
        var = get_unique_variable(name)
        array = np.asarray(value)
        fed = placeholder(var.dtype.base_dtype, name=f"placeholder/{var.op.name}")
        assigned.append(var.assign(_shaped(fed, var)))
        feeds[fed] = array.reshape(var.shape.as_list())
    return group(*assigned), feeds


def _shaped(fed: Tensor, var: Any) -> Tensor:
    fed.set_shape(var.shape)
    return fed


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """`assign_from_values` as a function of a session."""
    assign, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feeds)


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """An operation that assigns a checkpoint's values to variables, and what it is to be fed.

    Args:
      model_path: Of the checkpoint.
      var_list: Variables, or for each name in the checkpoint a variable or a list of its slices.
      ignore_missing_vars: Whether names that are not in the checkpoint are left out.

    Raises:
      ValueError: If a name is not in it, or a shape is another one.
    """
    reader = new_checkpoint_reader(model_path)
    named = (
        var_list
        if isinstance(var_list, Mapping)
        else {get_variable_full_name(each): each for each in var_list}
    )
    feeds: dict[Any, Any] = {}
    assigned = []
    for name, value in named.items():
        for var in value if isinstance(value, list) else [value]:
            if not reader.has_tensor(name):
                text = f"Checkpoint is missing variable [{name}]"
                if not ignore_missing_vars:
                    raise ValueError(text)
                warning(text)
                continue
            array = _slice_of(reader.get_tensor(name), var)
            if not var.shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"Total size of new array must be unchanged for {name} "
                    f"lh_shape: [{array.shape}], rh_shape: [{tuple(var.shape.as_list())}]"
                )
            fed = _shaped(placeholder(var.dtype.base_dtype, name=f"placeholder/{var.op.name}"), var)
            assigned.append(var.assign(fed))
            feeds[fed] = array
    return group(*assigned), feeds


def _slice_of(array: np.ndarray, var: Any) -> np.ndarray:
    info = getattr(var, "_save_slice_info", None)
    if info is None:
        return array
    ends = (offset + size for offset, size in zip(info.var_offset, info.var_shape, strict=True))
    return array[tuple(map(slice, info.var_offset, ends))]


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """A function of a session that restores variables from a checkpoint.

    Args:
      model_path: Of the checkpoint.
      var_list: Variables, or a dictionary of them by their names in the checkpoint.
      ignore_missing_vars: Whether names that are not in it are left out.
      reshape_variables: Whether a shape may be another one of the same size.

    Returns:
      The function; None if nothing is left to restore.
    """
    named = dict(var_list) if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}
    if ignore_missing_vars:
        reader = new_checkpoint_reader(model_path)
        for name in [name for name in named if not reader.has_tensor(name)]:
            warning("Variable %s missing in checkpoint %s", name, model_path)
            del named[name]
    if not named:
        warning("No Variables to restore")
        return None
    saver = Saver(named, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)
