"""What checkpoints of objects hold, and what objects are made of."""

from __future__ import annotations

from typing import Any

from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.saving.checkpoint.object_graph import nodes_below
from dataflow.saving.object_names import OBJECT_GRAPH, saved_objects
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saveables import VARIABLE_VALUE_KEY


def list_objects(root_trackable: Any) -> list[Any]:
    """An object and all that it is made of, slots of optimizers among it."""
    return [node.value for node in nodes_below(root_trackable)]


def object_metadata(save_path: Any) -> TrackableObjectGraph:
    """What a checkpoint says of its objects.

    Args:
      save_path: The checkpoint's prefix.

    Raises:
      ValueError: It is no checkpoint of objects.
      DataLossError: It is damaged.
    """
    found = saved_objects(new_checkpoint_reader(save_path))
    if found is None:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (it is '
            f'missing the key "{OBJECT_GRAPH}"). Likely it was created with a name-based saver and '
            "does not contain an object dependency graph."
        )
    return found


def dot_graph_from_checkpoint(save_path: Any) -> str:
    """The objects of a checkpoint as a graph in the DOT language.

    Variables are blue, slots of optimizers orange, optimizers red.

    Args:
      save_path: The checkpoint's prefix.

    Raises:
      ValueError: It is no checkpoint of objects.
    """
    nodes = object_metadata(save_path).nodes
    reader = new_checkpoint_reader(save_path)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    slots = {slot.slot_variable_node_id for node in nodes for slot in node.slot_variables}
    lines = ["digraph {"]
    for number, node in enumerate(nodes):
        if [each.name for each in node.attributes] == [VARIABLE_VALUE_KEY]:
            (value,) = node.attributes
            color, kind = ("orange", "Slot variable") if number in slots else ("blue", "Variable")
            key = value.checkpoint_key
            about = (
                f' color={color} width=.25 tooltip="{kind} {_escaped(value.full_name)} '
                f'shape={shapes[key]} {types[key].name}"'
            )
        elif node.slot_variables:
            about = ' width=.25 color=red,tooltip="Optimizer"'
        else:
            about = " width=.25"
        lines.append(f'N_{number} [shape=point label=""{about}]')
        for child in node.children:
            lines.append(f'N_{number} -> N_{child.node_id} [label="{_escaped(child.local_name)}"]')
        for slot in node.slot_variables:
            made, of = slot.slot_variable_node_id, slot.original_variable_node_id
            label = _escaped(slot.slot_name)
            lines.append(f'N_{number} -> N_{made} [label="{label}" style=dotted]')
            lines.append(f"N_{of} -> N_{made} [style=dotted]")
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(name: str) -> str:
    return name.replace('"', '\\"')
