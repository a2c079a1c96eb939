"""AutoTrackable: a base of programs' classes whose attributes checkpoints can hold."""

from __future__ import annotations

from typing import Any

from dataflow.library.containers.attributes import tracked
from dataflow.library.layers.untracked import untracked
from dataflow.variables.tracked import Trackable, is_part


class AutoTrackable(Trackable):
    """An object that is made of those of its attributes that checkpoints can hold."""

    def __setattr__(self, name: str, value: Any) -> None:
        value = tracked(self, name, value)
        object.__setattr__(self, name, value)
        if is_part(value) and name not in untracked(self):
            self._tracked()[name] = value
        else:
            self._tracked().pop(name, None)

    def __delattr__(self, name: str) -> None:
        self._tracked().pop(name, None)
        object.__delattr__(self, name)
