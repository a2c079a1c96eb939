"""What becomes of a value that is set as an attribute of what checkpoints hold."""

from __future__ import annotations

from typing import Any

from dataflow.library.containers.container import wrapped
from dataflow.library.containers.dictionaries import DictWrapper as DictWrapper
from dataflow.library.containers.lists import ListWrapper as ListWrapper
from dataflow.library.layers.untracked import NoDependency, assigned, untracked
from dataflow.variables.tracked import is_part


def tracked(owner: Any, name: str, value: Any) -> Any:
    """What is to be set as an attribute: a container of a list or dictionary, or the value.

    An owner that looks at what is set (`no_automatic_dependency_tracking`) notes what it is.
    """
    value = assigned(owner, name, value)
    return value if name in untracked(owner) else wrapped(value)


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Notes what is set as an attribute as a part of an object, and returns what is to be set."""
    kept = wrapped(value)
    if is_part(kept) and not isinstance(value, NoDependency):
        trackable._track_trackable(kept, name=name, overwrite=True)
    return kept
