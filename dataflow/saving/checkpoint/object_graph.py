"""The graph of the objects below a root: nodes, the names of edges, and what is saved of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from dataflow.library.datasets.iterators import Iterator as DatasetIterator
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.saving.checkpoint.trackables import children
from dataflow.saving.iterator_state import IteratorSaveable
from dataflow.saving.saveables import VARIABLE_VALUE_KEY, by_name
from dataflow.variables.tracked import is_structure, is_variable, own_saveable

_ITERATOR: Final = "ITERATOR"


@dataclass(slots=True)
class Node:
    """An object, and how it is reached."""

    value: Any
    path: str
    """The names on the shortest way from the root, joined by slashes."""
    children: list[tuple[str, int]] = field(default_factory=list)
    """Names of other objects in this one, and their numbers."""
    slots: list[tuple[int, str, int]] = field(default_factory=list)
    """Of an optimizer: a variable, the slot's name, and the slot, by their numbers."""

    @property
    def attribute(self) -> str:
        """What its saved value is called; "" if it has none."""
        if is_variable(self.value):
            return VARIABLE_VALUE_KEY
        if isinstance(self.value, DatasetIterator):
            return _ITERATOR
        own = own_saveable(self.value)
        return "" if own is None else own[0]

    @property
    def key(self) -> str:
        """Of its value in checkpoints."""
        return f"{self.path}/.ATTRIBUTES/{self.attribute}"


def nodes_below(root: Any) -> list[Node]:
    """All objects that a root is made of, nearest first, the root itself before them.

    Slots of optimizers come last, those of variables that are among the objects.
    """
    nodes = [Node(root, "")]
    numbers = {id(root): 0}
    pending = deque([0])
    while pending:
        node = nodes[pending.popleft()]
        for name, value in children(node.value).items():
            number = numbers.get(id(value))
            if number is None:
                number = numbers[id(value)] = len(nodes)
                path = _escaped(name)
                nodes.append(Node(value, f"{node.path}/{path}" if node.path else path))
                pending.append(number)
            node.children.append((name, number))
    for optimizer in tuple(nodes):
        _add_slots(optimizer, nodes, numbers)
    return nodes


def _add_slots(optimizer: Node, nodes: list[Node], numbers: dict[int, int]) -> None:
    if not (hasattr(optimizer.value, "get_slot_names") and hasattr(optimizer.value, "get_slot")):
        return
    trained = [
        (number, node)
        for number, node in enumerate(nodes)
        if is_variable(node.value) and ".OPTIMIZER_SLOT" not in node.path
    ]
    for name in optimizer.value.get_slot_names():
        for number, node in trained:
            try:
                slot = optimizer.value.get_slot(node.value, name)
            except KeyError:
                continue
            if slot is None or not is_variable(slot):
                continue
            if id(slot) not in numbers:
                numbers[id(slot)] = len(nodes)
                way = f"{node.path}/.OPTIMIZER_SLOT/{optimizer.path}/{_escaped(name)}"
                nodes.append(Node(slot, way))
            optimizer.slots.append((number, name, numbers[id(slot)]))


def _escaped(name: str) -> str:
    """A name in which slashes and what begins with a dot are nobody else's."""
    return name.replace(".", "..").replace("/", ".S")


def to_proto(nodes: list[Node]) -> TrackableObjectGraph:
    """The message that stands in a checkpoint."""
    graph = TrackableObjectGraph()
    for node in nodes:
        made = graph.nodes.add()
        for name, number in node.children:
            made.children.add(node_id=number, local_name=name)
        for variable, name, slot in node.slots:
            made.slot_variables.add(
                original_variable_node_id=variable, slot_name=name, slot_variable_node_id=slot
            )
        if node.attribute:
            made.attributes.add(
                name=node.attribute, full_name=_full_name(node), checkpoint_key=node.key
            )
    for number, made in enumerate(graph.nodes):
        if _has_values(nodes, number, set()):
            made.has_checkpoint_values.value = True
    return graph


def _has_values(nodes: list[Node], number: int, seen: set[int]) -> bool:
    """Whether a node, or one that it is made of, has a value."""
    node = nodes[number]
    if node.attribute or node.slots:
        return True
    seen.add(number)
    return any(_has_values(nodes, child, seen) for _, child in node.children if child not in seen)


def _full_name(node: Node) -> str:
    """The name that a Saver would give to it."""
    if isinstance(node.value, DatasetIterator):
        return str(node.value._iterator_resource.name)
    if not is_variable(node.value):
        return str(getattr(node.value, "name", ""))
    (name,) = by_name([node.value])
    return name


def saved_value(value: Any, key: str) -> Any:
    """What a Saver saves under a key."""
    if isinstance(value, DatasetIterator):
        return IteratorSaveable(value._iterator_resource, key)
    own = own_saveable(value)
    return value if own is None else own[1](name=key)


@dataclass(frozen=True, slots=True)
class Match:
    """What belongs together of the objects of a program and those of a checkpoint."""

    nodes: list[Node]
    """The program's."""
    found: dict[int, int]
    """Node of the checkpoint -> node of the program."""
    keys: dict[str, Any]
    """Key in the checkpoint -> object that gets the value."""

    def unmatched(self) -> Iterator[Node]:
        """Objects of the program with a value that the checkpoint does not have."""
        given = {id(value) for value in self.keys.values()}
        return (node for node in self.nodes if node.attribute and id(node.value) not in given)

    def is_trivial(self) -> bool:
        """Whether there is nothing but the root."""
        return len(self.found) <= 1

    def structures(self) -> set[int]:
        """The program's nodes that hold others only."""
        return {place for place, node in enumerate(self.nodes) if is_structure(node.value)}


def matched(saved: TrackableObjectGraph, root: Any) -> Match:
    """Walks both graphs from their roots by the names of children, then by slots."""
    _look_up(saved, root)
    nodes = nodes_below(root)
    found: dict[int, int] = {0: 0}
    pending = deque([0])
    while pending:
        theirs = pending.popleft()
        ours = dict(nodes[found[theirs]].children)
        for child in saved.nodes[theirs].children:
            number = ours.get(child.local_name)
            if number is None or not 0 <= child.node_id < len(saved.nodes):
                continue
            if child.node_id not in found:
                found[child.node_id] = number
                pending.append(child.node_id)
    for theirs, number in tuple(found.items()):
        slots = {(variable, name): slot for variable, name, slot in nodes[number].slots}
        for slot in saved.nodes[theirs].slot_variables:
            variable = found.get(slot.original_variable_node_id)
            place = None if variable is None else slots.get((variable, slot.slot_name))
            if place is not None and 0 <= slot.slot_variable_node_id < len(saved.nodes):
                found.setdefault(slot.slot_variable_node_id, place)
    keys: dict[str, Any] = {}
    for theirs, number in found.items():
        node = nodes[number]
        for attribute in saved.nodes[theirs].attributes:
            if attribute.name == node.attribute:
                keys[attribute.checkpoint_key] = node.value
    return Match(nodes, found, keys)


def _look_up(saved: TrackableObjectGraph, root: Any) -> None:
    """Asks objects for the parts that a checkpoint names, which some of them make then."""
    pending, seen = deque([(0, root)]), {0}
    while pending:
        number, value = pending.popleft()
        known = children(value)
        look_up = getattr(value, "_lookup_dependency", None)
        for child in saved.nodes[number].children:
            found = known.get(child.local_name)
            if found is None and callable(look_up):
                found = look_up(child.local_name)
            is_new = child.node_id not in seen and 0 <= child.node_id < len(saved.nodes)
            if found is not None and is_new:
                seen.add(child.node_id)
                pending.append((child.node_id, found))
