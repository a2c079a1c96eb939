"""A profile as a tree: what is counted, what is shown, and how it adds up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dataflow.profiling.nodes import Costs, NodeInfo

ROOT: Final = "_TFProfRoot"

_SCOPE: Final = "_kTFScopeParent"
"""The type of what is no node, as TensorFlow shows it."""

_LEAST_OF_ALL: Final = {
    "min_bytes": "requested_bytes",
    "min_peak_bytes": "peak_bytes",
    "min_residual_bytes": "residual_bytes",
    "min_output_bytes": "output_bytes",
    "min_micros": "exec_micros",
    "min_accelerator_micros": "accelerator_exec_micros",
    "min_cpu_micros": "cpu_exec_micros",
}
_LEAST_OF_ONE: Final = {
    "min_params": "parameters",
    "min_float_ops": "float_ops",
    "min_occurrence": "run_count",
}
_ORDERS: Final = {
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
    "params": "parameters",
    "float_ops": "float_ops",
    "occurrence": "definition_count",
}


@dataclass(slots=True)
class Entry:
    """A line of a profile: a node, a scope, or all nodes of a kind."""

    name: str
    info: NodeInfo
    """The node; for what stands for several, one with their types and devices."""
    own: Costs
    children: list[Entry] = field(default_factory=list)
    members: list[NodeInfo] = field(default_factory=list)
    """The nodes it stands for, if those are several."""
    total: Costs = field(default_factory=Costs)
    is_counted: bool = True


@dataclass(frozen=True, slots=True)
class View:
    """What the options of a profile say about its entries."""

    options: Mapping[str, Any]
    of_groups: bool = False
    """Whether entries stand for many nodes: they are shown for what is below them, too."""

    @property
    def step(self) -> int:
        """The step; -1 for the average of all."""
        return int(self.options.get("step", -1))

    def counts(self, types: Sequence[str]) -> bool:
        """Whether a node of these types is counted."""
        expressions = self.options.get("account_type_regexes", ())
        if list(expressions) == [".*"]:
            return True
        return any(_matches(expressions, each) for each in types)

    def counted(self, entries: Sequence[Entry]) -> list[Entry]:
        """Those that are counted or have something below them that is, with their sums."""
        kept = []
        for entry in entries:
            below = self.counted(entry.children)
            entry.is_counted = self.counts(entry.info.types)
            if entry.is_counted or below:
                entry.children = below
                _add_up(entry)
                kept.append(entry)
        return kept

    def from_start(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries at which the profile starts."""
        expressions = self.options.get("start_name_regexes", ())
        if list(expressions) == [".*"]:
            return list(entries)
        found = []
        for entry in entries:
            if _matches(expressions, entry.name):
                found.append(entry)
            else:
                found.extend(self.from_start(entry.children))
        return found

    def shown(self, entries: Sequence[Entry], depth: int = 1) -> list[Entry]:
        """Those that are shown; what is not gives its place to what is shown below it."""
        found = []
        for entry in entries:
            shows = entry.name == ROOT or self.shows(entry, depth)
            trims = _matches(self.options.get("trim_name_regexes", ()), entry.name)
            below = [] if trims else self.shown(entry.children, depth + 1)
            if not shows:
                found.extend(below)
                continue
            entry.children = self.ordered(below)
            if self.options.get("account_displayed_op_only"):
                _add_up(entry)
            found.append(entry)
        return found

    def shows(self, entry: Entry, depth: int) -> bool:
        """Whether an entry at this depth is shown."""
        options = self.options
        if depth > options.get("max_depth", 10):
            return False
        own = entry.total if self.of_groups else entry.own
        for of, costs in ((_LEAST_OF_ALL, entry.total), (_LEAST_OF_ONE, own)):
            if any(getattr(costs, name) < options.get(key, 0) for key, name in of.items()):
                return False
        return _matches(options.get("show_name_regexes", ()), entry.name) and not _matches(
            options.get("hide_name_regexes", ()), entry.name
        )

    def ordered(self, entries: Sequence[Entry]) -> list[Entry]:
        """In the order that was asked for, the largest first."""
        by = self.options.get("order_by", "name")
        if not by:
            return list(entries)
        if (cost := _ORDERS.get(by)) is None:
            return sorted(entries, key=lambda entry: entry.name)
        return sorted(entries, key=lambda entry: -getattr(entry.total, cost))


def _add_up(entry: Entry) -> None:
    entry.total = Costs()
    entry.total += entry.own
    for child in entry.children:
        entry.total += child.total


def _matches(expressions: Sequence[str], text: str) -> bool:
    return any(re.fullmatch(each, text) for each in expressions)


def by_scope(nodes: Mapping[str, NodeInfo], view: View) -> Entry:
    """A tree of name scopes."""
    entries: dict[str, Entry] = {}

    def entry_of(name: str) -> Entry:
        if name not in entries:
            info = nodes.get(name) or NodeInfo(name, types=[_SCOPE])
            own = info.costs(view.step) if info.op else Costs(definition_count=1)
            entries[name] = Entry(name, info, own)
            scope = name.rpartition("/")[0]
            (entry_of(scope) if scope else root).children.append(entries[name])
        return entries[name]

    root = _root()
    root.info.types = [_SCOPE]
    for name in sorted(nodes):
        entry_of(name)
    for entry in entries.values():
        entry.children.sort(key=lambda child: child.name)
    return _finish(root, view)


def by_edges(nodes: Mapping[str, NodeInfo], view: View) -> Entry:
    """A tree from what nobody takes down to the inputs; a node stands where it is met first."""
    taken = {source for node in nodes.values() for _, source in node.inputs}
    met: set[str] = set()
    root = _root()
    root.info.types = ["_TFGraphParent"]
    # Loops have no end that nobody takes.
    for name in (*sorted(set(nodes) - taken), *sorted(taken)):
        _descend(nodes, view, name, root, met)
    root.children = _lifted(root.children, view)
    return _finish(root, view)


def _lifted(entries: Sequence[Entry], view: View) -> list[Entry]:
    """The nodes that are counted; one that is not gives its place to those below it."""
    after: list[tuple[Entry, list[Entry]]] = []
    found: list[Entry] = []
    ahead = [(entry, found) for entry in reversed(entries)]
    while ahead:
        entry, place = ahead.pop()
        if view.counts(entry.info.types):
            place.append(entry)
            after.append((entry, place := []))
        ahead.extend((child, place) for child in reversed(entry.children))
    for entry, children in after:
        entry.children = children
    return found


def _descend(
    nodes: Mapping[str, NodeInfo], view: View, name: str, root: Entry, met: set[str]
) -> None:
    """Depth first, without recursion: chains of ops may be long."""
    ahead = [(name, root)]
    while ahead:
        name, parent = ahead.pop()
        if name in met or name not in nodes:
            continue
        met.add(name)
        node = nodes[name]
        entry = Entry(name, node, node.costs(view.step))
        parent.children.append(entry)
        ahead.extend((source, entry) for _, source in reversed(node.inputs))


def by_line(nodes: Mapping[str, NodeInfo], view: View) -> Entry:
    """A tree of the program's lines, as they called each other."""
    root = _root()
    entries: dict[tuple[tuple[str, int, str], ...], Entry] = {(): root}
    for name in sorted(nodes):
        node = nodes[name]
        if not view.counts(node.types):
            continue
        for depth in range(1, len(node.lines) + 1):
            path = node.lines[:depth]
            if path not in entries:
                file, line, function = path[-1]
                label = f"{file.rpartition('/')[2]}:{line}:{_short(function)}"
                entries[path] = Entry(label, NodeInfo(label, label), Costs())
                entries[path[:-1]].children.append(entries[path])
        if node.lines:
            entry = entries[node.lines]
            entry.members.append(node)
            entry.own += node.costs(view.step)
    # Sums are of all lines, whichever are shown.
    everything = View({**view.options, "account_displayed_op_only": False}, of_groups=True)
    return _finish(root, everything, View({"account_type_regexes": [".*"]}))


def _short(function: str) -> str:
    return function if len(function) <= 20 else f"{function[:17]}..."


def _root() -> Entry:
    return Entry(ROOT, NodeInfo(ROOT), Costs(definition_count=1), is_counted=False)


def _finish(root: Entry, view: View, counting: View | None = None) -> Entry:
    root.children = (counting or view).counted(root.children)
    _add_up(root)
    root.total.definition_count -= 1
    # The root's sums are of all that is counted, wherever the profile starts.
    root.children = view.from_start(root.children)
    return view.shown([root])[0]


def by_op(nodes: Mapping[str, NodeInfo], view: View) -> Entry:
    """The kinds of ops, each one below the one before it; totals are of a kind and those below."""
    view = View(view.options, of_groups=True)
    kinds: dict[str, Entry] = {}
    for name in sorted(nodes):
        node = nodes[name]
        if not view.counts(node.types):
            continue
        kind = kinds.setdefault(node.op, Entry(node.op, NodeInfo(node.op, node.op), Costs()))
        kind.members.append(node)
        kind.own += node.costs(view.step)
        for ours, theirs in ((kind.info.types, node.types), (kind.info.devices, node.devices)):
            ours.extend(each for each in theirs if each not in ours)
    for kind in kinds.values():
        kind.total = kind.own
    everything = view.ordered([kinds[name] for name in sorted(kinds)])
    _chain(everything)
    deepest = view.options.get("max_depth", 10)
    # A kind's place among the kinds is its depth in the tree.
    shown = [kind for kind in view.from_start(everything)[: deepest + 1] if view.shows(kind, 0)]
    only_shown = view.options.get("account_displayed_op_only")
    if only_shown:
        _chain(shown)
    root = _root()
    for each in shown if only_shown else everything:
        root.total += each.own
    for above, kind in zip([root, *shown], shown, strict=False):
        above.children = [kind]
    return root


def _chain(kinds: Sequence[Entry]) -> None:
    """Makes the total of each kind that of itself and of those after it."""
    below = Costs()
    for kind in reversed(kinds):
        kind.total = Costs()
        kind.total += kind.own
        kind.total += below
        below = kind.total
