"""What a SavedModel of objects is made of when it is loaded: objects, tables, files, signatures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.values import dtypes, nest
from dataflow.variables.tracked import is_trackable


class Restored:
    """An object that has the attributes of one that was saved.

    Attributes:
      tensorflow_version: Of the root: what wrote the SavedModel.
      tensorflow_git_version: And which build of it.
    """

    tensorflow_version: str
    tensorflow_git_version: str

    def _checkpoint_children(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if is_trackable(value)}


class Asset(Restored):
    """A file that a model needs; a SavedModel has a copy of it.

    Args:
      path: Where it is.
    """

    def __init__(self, path: Any) -> None:
        self._path = os.fsdecode(path)
        with scopes.init_scope(), scopes.device("CPU"):
            self._tensor = constant(self._path, dtypes.string, name="asset_path")

    @property
    def asset_path(self) -> Tensor:
        """The path, as a tensor."""
        return self._tensor


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor in the body of a function, which another one takes that only this body can call."""

    function: Any
    name: str


class RestoredOptimizer(Restored):
    """An optimizer of which only the slots are left."""

    def __init__(self) -> None:
        self._slots: dict[tuple[int, str], Any] = {}

    def _checkpoint_children(self) -> dict[str, Any]:
        found = super()._checkpoint_children()
        del found["_slots"]
        return found

    def add_slot(self, variable: Any, name: str, slot: Any) -> None:
        """Takes a slot of a variable."""
        self._slots[id(variable), name] = slot

    def get_slot_names(self) -> list[str]:
        """Names of slots."""
        return sorted({name for _, name in self._slots})

    def get_slot(self, variable: Any, name: str) -> Any:
        """The slot of a variable, or None."""
        return self._slots.get((id(variable), name))


class Contents(SaveableObject):
    """What a checkpoint has of a resource whose contents steps can change.

    Args:
      functions: Of a key, the name, slice and tensor of all that is saved; and of such tensors,
        what gives them back to the resource.
      op: The resource's operation.
      name: The key.
    """

    def __init__(self, functions: tuple[Any, Any], op: Any, name: Any) -> None:
        save, self._restore = functions
        described = nest.flatten(save(name))
        rows = zip(described[::3], described[1::3], described[2::3], strict=True)
        super().__init__(op, [SaveSpec(value, part, key) for key, part, value in rows], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """What gives the resource what was saved."""
        return group(*nest.flatten(self._restore(*restored_tensors)))


class RestoredResource(Restored, TrackableResource):
    """A table or another resource, which functions of the SavedModel make and fill.

    Args:
      device: Where it is made.
    """

    def __init__(self, device: str) -> None:
        TrackableResource.__init__(self, device)
        self._contents: dict[str, tuple[Any, Any]] = {}

    def _checkpoint_children(self) -> dict[str, Any]:
        found = Restored._checkpoint_children(self)
        del found["_contents"]
        return found

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., Contents]]:
        return {
            name: lambda name, pair=pair: Contents(pair, self.resource_handle.op, name)
            for name, pair in self._contents.items()
        }

    def initializer(self) -> Any:
        """What fills it, or None if nothing does."""
        fill = vars(self).get("_initialize")
        if fill is None:
            return None
        with scopes.init_scope():
            found = fill()
        return found.op if isinstance(found, Tensor) else found


class SignatureMap(Mapping[str, Any]):
    """The functions of signatures by their keys.

    Args:
      functions: The functions.
    """

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self._functions = dict(functions)

    def __getitem__(self, key: str) -> Any:
        return self._functions[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._functions})"


def revived(identifier: str) -> Any:
    """An empty object for a saved one; those that are called have a class of their own."""
    if identifier == "trackable_list_wrapper":
        return []
    if identifier == "trackable_dict_wrapper":
        return {}
    if identifier == "optimizer":
        return RestoredOptimizer()
    return type("_UserObject", (Restored,), {})()


def attach(parent: Any, name: str, child: Any) -> None:
    """Makes an object an attribute or an item of another one."""
    if isinstance(parent, list):
        parent.append(child)
    elif isinstance(parent, dict):
        parent[name] = child
    elif isinstance(parent, Restored):
        setattr(parent, name, child)
        if name == "__call__":
            type(parent).__call__ = _called  # type: ignore[method-assign]


def _called(self: Any, *args: Any, **kwargs: Any) -> Any:
    return vars(self)["__call__"](*args, **kwargs)
