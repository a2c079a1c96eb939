"""Container: what holds layers and variables has their variables, losses and updates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from dataflow.library.layers.tracked import once
from dataflow.library.layers.untracked import NoDependency
from dataflow.variables.tracked import Trackable, is_part, is_variable

_Wrapper = TypeVar("_Wrapper")
_WRAPPERS: Final[dict[type, Any]] = {}


class Container(Trackable):
    """Has the variables, losses and updates of the layers and variables in it."""

    trainable = True
    """Whether optimizers train what is in it."""

    def _parts(self) -> Sequence[Any]:
        """What is in it, in order."""
        return list(self._tracked().values())

    @property
    def layers(self) -> list[Any]:
        """The layers and containers in it that have variables, or none yet but may."""
        return [each for each in self._holders() if not isinstance(each, Container) or each.layers]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers train."""
        if not self.trainable:
            return []
        own = [each for each in self._own() if each.trainable]
        return once(own + self._of_holders("trainable_weights"))

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        theirs = self._of_holders("non_trainable_weights")
        if not self.trainable:
            return once(self._own() + self._of_holders("trainable_weights") + theirs)
        return once([each for each in self._own() if not each.trainable] + theirs)

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """See `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """See `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """See `weights`."""
        return self.weights

    @property
    def updates(self) -> list[Any]:
        """The updates of its layers."""
        return self._of_holders("updates")

    @property
    def losses(self) -> list[Any]:
        """The losses of its layers."""
        return self._of_holders("losses")

    def _own(self) -> list[Any]:
        return [each for each in self._parts() if is_variable(each)]

    def _holders(self) -> list[Any]:
        return [each for each in self._parts() if hasattr(each, "trainable_weights")]

    def _of_holders(self, name: str) -> list[Any]:
        return [item for each in self._holders() for item in getattr(each, name, ())]

    def _track(self, value: Any, name: str) -> Any:
        """Adds something, and returns what is kept of it: a list or a dictionary is wrapped.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        kept = wrapped(value)
        if not is_part(kept):
            raise ValueError(
                "Only trackable objects (such as Layers or Optimizers) may be stored in a List "
                f"object. Got {kept}, which does not inherit from Trackable."
            )
        return kept if isinstance(value, NoDependency) else self._note(kept, name)

    def _note(self, value: Any, name: str) -> Any:
        return self._track_trackable(value, name, overwrite=True)


def wraps(kind: type) -> Callable[[type[_Wrapper]], type[_Wrapper]]:
    """Decorates the container that stands for Python's own ones of a kind."""

    def note(container: type[_Wrapper]) -> type[_Wrapper]:
        _WRAPPERS[kind] = container
        return container

    return note


def wrapped(value: Any) -> Any:
    """A container of a list or dictionary, the value of a `NoDependency`, or what is given.

    Instances of classes derived from `list` and `dict` stay what they are.
    """
    if isinstance(value, NoDependency):
        return value.value
    wrapper = _WRAPPERS.get(type(value))
    return value if wrapper is None else wrapper(value)
