"""SubGraphView: operations of a graph, with the tensors that come in and go out."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from dataflow.contrib.graph_editor import lists, select


class SubGraphView:
    """Operations, and tensors that pass by, seen as one part with inputs and outputs."""

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        """Takes the operations, and the tensors that pass by.

        Raises:
          ValueError: They are of several graphs.
        """
        self._ops = lists.make_list_of_op(inside_ops)
        passing = lists.make_list_of_t(passthrough_ts)
        every = [*self._ops, *passing]
        self._graph = lists.get_unique_graph(every) if every else None
        inputs, outputs, insides = select.compute_boundary_ts(self._ops)
        known = {id(t) for t in (*inputs, *outputs, *insides)}
        self._passthrough_ts = [t for t in passing if id(t) not in known]
        self._input_ts = [*inputs, *self._passthrough_ts]
        self._output_ts = [*outputs, *self._passthrough_ts]

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        lines = [f"SubGraphView (graphid={id(self._graph)}):"]
        for name, parts in (
            ("ops", self._ops),
            ("inputs", self._input_ts),
            ("outputs", self._output_ts),
        ):
            lines.append(f"** {name}[{len(parts)}]:" if parts else f"** {name}: empty")
            passing = {id(t) for t in self._passthrough_ts}
            lines.extend(f"  {each.name}{' *' * (id(each) in passing)}" for each in parts)
        return "\n".join([*lines, ""])

    def copy(self) -> SubGraphView:
        """Another view of the same."""
        made = copy.copy(self)
        made._assign_from(self)
        return made

    def _assign_from(self, other: Any) -> None:
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def remap_default(
        self, remove_input_map: bool = True, remove_output_map: bool = True
    ) -> SubGraphView:
        """A view whose inputs and outputs are all there are, in order."""
        made = self.copy()
        plain = SubGraphView(self._ops, self._passthrough_ts)
        if remove_input_map:
            made._input_ts = plain._input_ts
        if remove_output_map:
            made._output_ts = plain._output_ts
        return made

    def remap_inputs(self, new_input_indices: Iterable[Any]) -> SubGraphView:
        """A view with some of the inputs, by their numbers or themselves."""
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Iterable[Any]) -> SubGraphView:
        """A view with some of the outputs, by their numbers or themselves."""
        return self.remap(new_output_indices=new_output_indices)

    def remap(self, new_input_indices: Any = None, new_output_indices: Any = None) -> SubGraphView:
        """A view with some of the inputs and outputs.

        Raises:
          ValueError: There is no such input or output, or an input stands twice.
        """
        made = self.copy()
        if new_input_indices is not None:
            made._input_ts = _picked(self._input_ts, new_input_indices, False)
        if new_output_indices is not None:
            made._output_ts = _picked(self._output_ts, new_output_indices, True)
        return made

    def remap_outputs_make_unique(self) -> SubGraphView:
        """A view whose outputs stand once each."""
        made = self.copy()
        made._output_ts = lists.concatenate_unique([], self._output_ts)
        return made

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """A view whose outputs stand as often as they are taken."""
        made = self.remap_outputs_make_unique()
        made._output_ts = [t for t in made._output_ts for _ in t.consumers()]
        return made

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """A view without the operations that lie between no input and output."""
        used = frozenset(
            select.get_walks_union_ops(
                self.connected_inputs,
                self.connected_outputs,
                within_ops=self._ops,
                control_inputs=control_inputs,
            )
        )
        made = self.copy()
        made._ops = [op for op in self._ops if op in used]
        return made

    def find_op_by_name(self, op_name: str) -> Any:
        """The operation of a name.

        Raises:
          ValueError: There is none.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __bool__(self) -> bool:
        return self._graph is not None

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing has to be given back."""

    @property
    def graph(self) -> Any:
        """The graph, or None."""
        return self._graph

    @property
    def ops(self) -> list[Any]:
        """The operations."""
        return self._ops

    @property
    def inputs(self) -> lists.ListView:
        """The tensors that come in."""
        return lists.ListView(self._input_ts)

    @property
    def outputs(self) -> lists.ListView:
        """The tensors that go out."""
        return lists.ListView(self._output_ts)

    @property
    def passthroughs(self) -> lists.ListView:
        """The tensors that pass by."""
        return lists.ListView(self._passthrough_ts)

    @property
    def connected_inputs(self) -> list[Any]:
        """The inputs that operations take."""
        return [t for t in self._input_ts if not self.is_passthrough(t)]

    @property
    def connected_outputs(self) -> list[Any]:
        """The outputs that operations make."""
        return [t for t in self._output_ts if not self.is_passthrough(t)]

    def op(self, op_id: int) -> Any:
        """The operation of a number."""
        return self._ops[op_id]

    def is_passthrough(self, t: Any) -> bool:
        """Whether a tensor passes by."""
        return any(t is each for each in self._passthrough_ts)

    def input_index(self, t: Any) -> int:
        """The number of an input."""
        return _index(t, self._input_ts, "inputs")

    def output_index(self, t: Any) -> int:
        """The number of an output."""
        return _index(t, self._output_ts, "outputs")

    def consumers(self) -> list[Any]:
        """Operations that take outputs and are not in here."""
        within = frozenset(self._ops)
        found: list[Any] = []
        for t in self._output_ts:
            lists.concatenate_unique(found, (op for op in t.consumers() if op not in within))
        return found


def _index(t: Any, ts: list[Any], what: str) -> int:
    for index, each in enumerate(ts):
        if each is t:
            return index
    raise ValueError(f"Can't find {t.name} in {what} of subgraph.")


def _picked(ts: list[Any], indices: Iterable[Any], repetition: bool) -> list[Any]:
    places = [each if isinstance(each, int) else _index(each, ts, "tensors") for each in indices]
    for place in places:
        if not 0 <= place < len(ts):
            raise ValueError(f"Out of [0, {len(ts)}[ range: {place}")
    if not repetition and len(set(places)) != len(places):
        raise ValueError(f"Found repetition in mapping: {places}")
    return [ts[place] for place in places]


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of what `select_ops_and_ts` selects; one that is given is returned.

    Raises:
      ValueError: It is of another graph than `graph`.
    """
    graph = kwargs.get("graph")
    is_view = len(args) == 1 and isinstance(args[0], SubGraphView)
    view = args[0] if is_view else SubGraphView(*select.select_ops_and_ts(*args, **kwargs))
    if graph is not None and view.graph is not None and view.graph is not graph:
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """A view of the operations in a scope."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
