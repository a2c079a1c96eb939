"""tf.contrib.checkpoint: what objects of Python's are made of, in checkpoints of objects."""

import dataflow.proto.trackable_object_graph_pb2 as _graph
import dataflow.saving.checkpoint.python_state as _states
import dataflow.saving.checkpoint.trackable as _trackable
import dataflow.variables.tracked as _tracked
from dataflow.contrib.checkpoint.inspection import (
    dot_graph_from_checkpoint as dot_graph_from_checkpoint,
)
from dataflow.contrib.checkpoint.inspection import list_objects as list_objects
from dataflow.contrib.checkpoint.inspection import object_metadata as object_metadata
from dataflow.contrib.checkpoint.numpy_state import NumpyState as NumpyState
from dataflow.contrib.checkpoint.split_dependency import split_dependency as split_dependency
from dataflow.contrib.checkpoint.unique_names import UniqueNameTracker as UniqueNameTracker
from dataflow.library.containers.append_only import List as List
from dataflow.library.containers.append_only import Mapping as Mapping
from dataflow.library.layers.untracked import NoDependency as NoDependency
from dataflow.saving.checkpoint.manager import CheckpointManager as CheckpointManager

Checkpointable = _trackable.AutoTrackable
CheckpointableBase = _tracked.Trackable
CheckpointableObjectGraph = _graph.TrackableObjectGraph
PythonStateWrapper = _states.PythonState
