"""init_from_checkpoint: variables whose initial values are those of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.saving.reading import load_checkpoint, resolved
from dataflow.saving.saveables import by_name, saveables
from dataflow.values import logging
from dataflow.variables.base import BaseVariable
from dataflow.variables.store import get_variable_store


def init_from_checkpoint(
    ckpt_dir_or_file: Any,
    assignment_map: Mapping[str, Any] | Iterable[tuple[str, Any]],
) -> None:
    """Has variables initialised with values of a checkpoint, when their initializers run.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder, of which it is the newest.
      assignment_map: What is read for what, as a dictionary or pairs. A name in the checkpoint
        goes with a variable, the parts of one as a list, or the name of a variable that
        `get_variable` made; a scope in the checkpoint, "a/", or "/" for all of it, with a scope
        here, "b/", whose variables have names there that end alike.

    Raises:
      ValueError: Something is not in the checkpoint, or has another shape there.
    """
    path, shapes = resolved(ckpt_dir_or_file), _shapes(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    made: dict[str, Any] = get_variable_store()._vars
    for stored, target in sorted(pairs, key=lambda pair: pair[0]):
        variable = target if is_variable(target) else _find(target, made)
        if variable is None:
            for name, full_name in _below(stored, target, made):
                if full_name not in shapes:
                    end = name[len(_scope(target)) + 1 :]
                    raise ValueError(
                        f"Tensor {full_name} ({end} in {stored}) is not found in "
                        f"{ckpt_dir_or_file} checkpoint"
                    )
                _initialise(_find(name, made), path, full_name)
            continue
        if stored not in shapes:
            raise ValueError(
                f"Tensor {stored} is not found in {ckpt_dir_or_file} checkpoint {shapes}"
            )
        if isinstance(variable, BaseVariable) and not variable.shape.is_compatible_with(
            shapes[stored]
        ):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape "
                f"of tensor {stored} ({shapes[stored]}) from checkpoint reader."
            )
        _initialise(variable, path, stored)


def _shapes(ckpt_dir_or_file: Any) -> dict[str, list[int]]:
    return load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()


def is_variable(target: Any) -> bool:
    """Whether something is a variable, or a list of the parts of one."""
    if isinstance(target, list):
        return all(isinstance(part, BaseVariable) for part in target)
    return isinstance(target, BaseVariable)


def _find(name: str, made: Mapping[str, Any]) -> Any:
    """The variable of a name, or the parts of one as a list; None if there is none."""
    if name in made:
        return made[name]
    parts: list[Any] = []
    while f"{name}/part_{len(parts)}" in made:
        parts.append(made[f"{name}/part_{len(parts)}"])
    return parts or None


def _scope(target: str) -> str:
    return target.rpartition("/")[0]


def _below(stored: str, target: str, made: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The variables below a scope, and their names in the checkpoint."""
    scope = _scope(target)
    if not stored.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {stored}. "
            "Should be 'scope/': 'other_scope/'."
        )
    inside = {
        name.partition("/part_")[0] for name in made if not scope or name.startswith(f"{scope}/")
    }
    for name in sorted(inside):
        end = name[len(scope) :] if target == "/" else name[len(scope) + 1 :]
        yield name, (end if stored == "/" else stored + end).removesuffix("/")


def _initialise(variable: Any, path: str, stored: str) -> None:
    """Gives a variable, or the parts of one, an initializer that reads the checkpoint."""
    if isinstance(variable, BaseVariable):
        _read_initially(variable, path, stored, "")
        return
    _check_parts(variable)
    for part in variable:
        _read_initially(part, path, stored, part._get_save_slice_info().spec)


def _check_parts(parts: Sequence[Any]) -> None:
    whole = parts[0]._get_save_slice_info().full_name
    for part in parts:
        other = part._get_save_slice_info().full_name
        if other != whole:
            raise ValueError(f"Slices must all be from the same tensor: {whole} != {other}")


def _read_initially(variable: BaseVariable, path: str, stored: str, spec: str) -> None:
    dtype = variable.dtype.base_dtype
    # The checkpoint is read on the host of the variable's device.
    with scopes.device(variable.device), scopes.device("/cpu:0"):
        (value,) = apply_op(
            "RestoreV2", path, [stored], [spec], dtypes=[dtype], name="checkpoint_initializer"
        )
    begin_with(variable, value)
    logging.debug("Initialize variable %s from checkpoint %s with %s", variable.name, path, stored)


def begin_with(variable: BaseVariable, value: Tensor) -> None:
    """Has a variable's initializer assign a value."""
    (item,) = saveables(by_name([variable]))
    assigned = item.restore([value], None)
    variable._initializer_op = assigned.op if isinstance(assigned, Tensor) else assigned
    value.set_shape(variable.shape)
    variable._initial_value = value
