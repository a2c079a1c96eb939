"""Iterators in checkpoints: how far they have come is saved with the variables, or by a hook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.scopes import colocate_with
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.settings.policies import ExternalStatePolicy
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.single import single


class IteratorSaveable(SaveableObject):
    """How far an iterator has come."""

    def __init__(self, iterator_resource: Tensor, name: str, policy: Any = None) -> None:
        """Wraps an iterator's handle.

        Args:
          iterator_resource: The handle.
          name: Its name in checkpoints, before "_STATE".
          policy: An `ExternalStatePolicy`: taken for compatibility.
        """
        policy = ExternalStatePolicy.FAIL if policy is None else policy
        state = single("SerializeIterator", iterator_resource, external_state_policy=policy.value)
        spec = SaveSpec(state, "", f"{name}_STATE", device=iterator_resource.device)
        super().__init__(iterator_resource, [spec], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that has the iterator go on from there; its initializer must have run."""
        with colocate_with(self.op):
            return apply_op("DeserializeIterator", self.op, restored_tensors[0])


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> SaveableObject:
    """What a Saver saves of an iterator: how far it has come.

    It goes on by making again the elements that were given before, so the dataset must give the
    same ones, and restoring takes as long as they take. Its initializer must run before it is
    restored.

    Args:
      iterator: The iterator.
      external_state_policy: An `ExternalStatePolicy`: taken for compatibility.

    Returns:
      An object to pass to a Saver, or to put into the collection `SAVEABLE_OBJECTS`.
    """
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name, external_state_policy)
