"""tensorflow.python.training.tracking: bases of classes whose objects checkpoints can hold."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from dataflow.library.containers.append_only import List as List
from dataflow.library.containers.append_only import Mapping as Mapping
from dataflow.library.containers.attributes import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)
from dataflow.library.containers.container import Container, wrapped
from dataflow.library.containers.dictionaries import DictWrapper
from dataflow.library.containers.lists import ListWrapper as ListWrapper
from dataflow.library.layers.untracked import NoDependency as NoDependency
from dataflow.library.layers.untracked import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from dataflow.library.layers.untracked import (
    no_automatic_dependency_tracking_scope as no_automatic_dependency_tracking_scope,
)
from dataflow.library.lookup.resources import ResourceTracker as ResourceTracker
from dataflow.library.lookup.resources import TrackableResource as TrackableResource
from dataflow.library.lookup.resources import resource_tracker_scope as resource_tracker_scope
from dataflow.saving.checkpoint.object_graph import nodes_below
from dataflow.saving.checkpoint.trackable import AutoTrackable as AutoTrackable
from dataflow.saving.saveables import VARIABLE_VALUE_KEY as VARIABLE_VALUE_KEY
from dataflow.values import dtypes
from dataflow.variables.store import default_initializer
from dataflow.variables.tracked import Trackable as Trackable
from dataflow.variables.tracked import TrackableReference as TrackableReference
from dataflow.variables.variable import Variable

CapturableResource = TrackableResource
TrackableDataStructure = Container
_DictWrapper = DictWrapper
_UntrackableError = ValueError
_wrap_or_unwrap = wrapped


def cached_per_instance(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of an object that is called once for each one, and again while it gives None."""
    known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @functools.wraps(f)
    def call(item: Any) -> Any:
        value = known.get(item)
        if value is None:
            known[item] = value = f(item)
        return value

    vars(call)["cache"] = known
    return call


def add_variable(
    trackable: Trackable,
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    trainable: bool = True,
) -> Any:
    """Makes a variable that an object is made of, whatever the open scope of variables."""
    dtype = dtypes.as_dtype(dtype)
    value = default_initializer(name, dtype) if initializer is None else initializer
    if callable(value):
        value = functools.partial(value, shape, dtype=dtype)
    made = Variable(value, trainable=trainable, name=name, dtype=dtype, use_resource=True)
    return trackable._track_trackable(made, name)


def gather_initializers(root_trackable: Any) -> list[Any]:
    """The operations that initialize the variables that an object is made of."""
    found = (getattr(node.value, "initializer", None) for node in nodes_below(root_trackable))
    return [initializer for initializer in found if initializer is not None]


def list_objects(root_trackable: Any) -> list[Any]:
    """An object and all that it is made of."""
    return [node.value for node in nodes_below(root_trackable)]
