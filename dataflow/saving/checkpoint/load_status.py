"""What `Checkpoint.restore` returns: asks what was found, and restores it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.saving.checkpoint.object_graph import Match, Node, matched, nodes_below, saved_value
from dataflow.saving.checkpoint.python_state import PythonState
from dataflow.saving.checkpoint.sessions import session_of
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saveables import by_name
from dataflow.saving.saver import Saver


class LoadStatus:
    """Objects below a root, which a checkpoint has values for, or not.

    Each call looks at the objects that there are then, so that those made later count, too.
    """

    def __init__(self, root: Any) -> None:
        """Takes the root of the objects."""
        self._root = root

    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError unless all objects and all values have found each other."""
        raise NotImplementedError

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError if an object of the program has no value."""
        raise NotImplementedError

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError if nothing but the root was found."""
        raise NotImplementedError

    def expect_partial(self) -> LoadStatus:
        """Says that values without an object are meant: there is no warning about them."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives the objects their values.

        Args:
          session: Holds the variables; the default one if None.
        """
        raise NotImplementedError

    def initialize_or_restore(self, session: Any = None) -> None:
        """Gives the objects their values, and initializes those that have none.

        Args:
          session: Holds the variables; the default one if None.
        """
        raise NotImplementedError


class ObjectStatus(LoadStatus):
    """Of a checkpoint of objects."""

    def __init__(
        self,
        root: Any,
        saved: TrackableObjectGraph,
        path: str,
        savers: dict[tuple[Any, ...], Saver] | None = None,
    ) -> None:
        """Takes the checkpoint's objects, and what has restored others below this root."""
        super().__init__(root)
        self._saved = saved
        self._path = path
        self._savers = {} if savers is None else savers
        self._given: dict[int, PythonState] = {}
        self._restored: dict[int, Any] = {}
        self._give_states(self._match().keys)

    def assert_consumed(self) -> LoadStatus:
        match = self.assert_existing_objects_matched()._match()
        names = self._names()
        for number, node in enumerate(self._saved.nodes):
            if number in match.found:
                continue
            if node.HasField("has_checkpoint_values") and not node.has_checkpoint_values.value:
                continue
            # What only holds others holds nothing that they are not asked for themselves.
            if not node.attributes and not node.slot_variables:
                continue
            raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node}")
        for number, place in match.found.items():
            unused = [
                each.name
                for each in self._saved.nodes[number].attributes
                if each.name != match.nodes[place].attribute
            ]
            if unused:
                raise AssertionError(
                    "Unused attributes in these objects (the attributes exist in the checkpoint "
                    f"but were not restored):\n{names[number]}: {unused}"
                )
        return self

    def assert_existing_objects_matched(self) -> ObjectStatus:
        lacking = list(self._match().unmatched())
        if lacking:
            shown = [node.value for node in lacking[:10]]
            raise AssertionError(
                f"Found {len(lacking)} Python objects that were not bound to checkpointed values, "
                "likely due to changes in the Python program. Showing "
                f"{len(shown)} of {len(lacking)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        match = self._match()
        if match.is_trivial():
            if len(match.nodes) == 1:
                raise AssertionError(
                    f"Nothing to load. No dependencies have been added to {self._root} yet."
                )
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this "
                "means that the checkpoint does not match the Python program. The following "
                f"objects have no matching checkpointed value: {_values(match.nodes[1:])}"
            )
        return self

    def has_part(self, name: str) -> bool:
        """Whether the root that was saved had a part of that name."""
        return any(child.local_name == name for child in self._saved.nodes[0].children)

    def run_restore_ops(self, session: Any = None) -> None:
        self._restore(session, self._match().keys)

    def restore_new(self, session: Any = None) -> None:
        """Gives their values to objects that this has not restored before.

        Args:
          session: Holds the variables; the default one if None.
        """
        keys = self._match().keys
        self._restore(
            session, {k: each for k, each in keys.items() if id(each) not in self._restored}
        )

    def _restore(self, session: Any, keys: dict[str, Any]) -> None:
        self._give_states(keys)
        self._restored |= {id(each): each for each in keys.values()}
        keys = {key: each for key, each in keys.items() if not isinstance(each, PythonState)}
        if keys:
            wanted = tuple(sorted((key, id(value)) for key, value in keys.items()))
            saver = self._savers.get(wanted)
            if saver is None:
                saver = Saver({key: saved_value(value, key) for key, value in keys.items()})
                self._savers[wanted] = saver
            saver.restore(session_of(session), self._path)

    def initialize_or_restore(self, session: Any = None) -> None:
        session = session_of(session)
        self.run_restore_ops(session)
        _initialize(session, self._match().unmatched())

    def _give_states(self, keys: Mapping[str, Any]) -> None:
        """Gives objects of Python's their states, each once: no step is needed for it."""
        for key, value in keys.items():
            if isinstance(value, PythonState) and id(value) not in self._given:
                self._given[id(value)] = value
                value.deserialize(new_checkpoint_reader(self._path).get_tensor(key))

    def _match(self) -> Match:
        return matched(self._saved, self._root)

    def _names(self) -> list[str]:
        """How the checkpoint's objects are reached, for messages."""
        names = ["(root)", *[""] * (len(self._saved.nodes) - 1)]
        pending = [0]
        while pending:
            number = pending.pop()
            for child in self._saved.nodes[number].children:
                if 0 < child.node_id < len(names) and not names[child.node_id]:
                    names[child.node_id] = f"{names[number]}.{child.local_name}"
                    pending.append(child.node_id)
        for number, node in enumerate(self._saved.nodes):
            for slot in node.slot_variables:
                if 0 < slot.slot_variable_node_id < len(names):
                    names[slot.slot_variable_node_id] = (
                        f"{names[number]}'s state '{slot.slot_name}'"
                    )
        return names


class NameStatus(LoadStatus):
    """Of a checkpoint of a Saver, whose values are found by the names of variables."""

    def __init__(self, root: Any, path: str, keys: Iterable[str]) -> None:
        """Takes the checkpoint's keys."""
        super().__init__(root)
        self._path = path
        self._keys = frozenset(keys)

    def assert_consumed(self) -> LoadStatus:
        named = self._named()
        unused = sorted(self._keys - named.keys())
        if unused:
            raise AssertionError(f"Some objects had attributes which were not restored: {unused}")
        for name, node in named.items():
            if name not in self._keys:
                raise AssertionError(f"Object not restored: {node.value}")
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> LoadStatus:
        return self.assert_consumed()

    def run_restore_ops(self, session: Any = None) -> None:
        found = {name: n.value for name, n in self._named().items() if name in self._keys}
        if found:
            Saver(found).restore(session_of(session), self._path)

    def initialize_or_restore(self, session: Any = None) -> None:
        session = session_of(session)
        self.run_restore_ops(session)
        lacking = (node for name, node in self._named().items() if name not in self._keys)
        _initialize(session, lacking)

    def _named(self) -> dict[str, Node]:
        nodes = [node for node in nodes_below(self._root) if node.attribute == "VARIABLE_VALUE"]
        return {next(iter(by_name([node.value]))): node for node in nodes}


class NothingStatus(LoadStatus):
    """Without a checkpoint: objects are initialized."""

    _TEXT = "No checkpoint specified (save_path=None); nothing is being restored."

    def assert_consumed(self) -> LoadStatus:
        raise AssertionError(self._TEXT)

    def assert_existing_objects_matched(self) -> LoadStatus:
        raise AssertionError(self._TEXT)

    def assert_nontrivial_match(self) -> LoadStatus:
        raise AssertionError(self._TEXT)

    def run_restore_ops(self, session: Any = None) -> None:
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to "
            "Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        nodes = nodes_below(self._root)
        _initialize(session_of(session), (node for node in nodes if node.attribute))


def _values(nodes: Iterable[Node]) -> list[Any]:
    return [node.value for node in nodes]


def _initialize(session: Any, nodes: Iterable[Node]) -> None:
    found = [getattr(node.value, "initializer", None) for node in nodes]
    session.run([initializer for initializer in found if initializer is not None])
