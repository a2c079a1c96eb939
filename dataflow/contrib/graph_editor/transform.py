"""Copies of parts of graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.graph_editor import lists, reroute, select, subgraph
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor

_OWN_COLLECTIONS = frozenset(
    value for key, value in vars(GraphKeys).items() if key.isupper() and isinstance(value, str)
)


class TransformerInfo:
    """What became of each operation and tensor that was copied."""

    def __init__(self, ops: dict[Any, Any], ts: dict[Any, Any]) -> None:
        """Takes both, by what they were."""
        self._transformed_ops = ops
        self._transformed_ts = ts

    def _map(self, top: Any) -> dict[Any, Any]:
        return self._transformed_ts if isinstance(top, Tensor) else self._transformed_ops

    def transformed(self, original: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What became of an operation or tensor, or of those in a tree.

        What was not copied is what `missing_fn` makes of it, or None.
        """

        def one(top: Any) -> Any:
            mapped = self._map(top)
            if top in mapped:
                return mapped[top]
            return None if missing_fn is None else missing_fn(top)

        return lists.transform_tree(original, one)

    def original(self, transformed: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What a copy was; see `transformed`."""

        def one(top: Any) -> Any:
            for before, after in self._map(top).items():
                if after is top:
                    return before
            return None if missing_fn is None else missing_fn(top)

        return lists.transform_tree(transformed, one)


class _Copier:
    """Copies the operations of a view, once."""

    def __init__(self, view: Any, graph: Any, scopes: tuple[str, str], given: Any) -> None:
        self._view = view
        self._graph = graph
        self._source, self._target = scopes
        self._given = given
        self._within = frozenset(view.ops)
        self._inputs = {id(t) for t in view.inputs}
        self.ops: dict[Any, Any] = {}
        self.ts: dict[Any, Any] = {}

    def run(self) -> TransformerInfo:
        late: list[tuple[Any, int, Any]] = []
        for op in sorted(self._view.ops, key=lambda each: each._id):
            taken = []
            for index, t in enumerate(op.inputs):
                if t.op in self._within and t not in self.ts:
                    # The way back of a loop: its operation is copied later.
                    late.append((op, index, t))
                    taken.append(self._input(op.inputs[0]))
                else:
                    taken.append(self._input(t))
            self._copy(op, taken)
        for op, index, t in late:
            self.ops[op]._update_input(index, self.ts[t])
        for op, made in self.ops.items():
            waits = [self._waited_for(each) for each in op.control_inputs]
            reroute.add_control_inputs(made, [each for each in waits if each is not None])
            self._collect(op, made)
        return TransformerInfo(self.ops, self.ts)

    def _waited_for(self, op: Any) -> Any:
        return self.ops.get(op, op if op.graph is self._graph else None)

    def _copy(self, op: Any, inputs: list[Any]) -> None:
        if not op.name.startswith(self._source):
            raise ValueError(f"{op.name} does not belong to source scope: {self._source}.")
        name = self._target + op.name[len(self._source) :]
        with contextlib.ExitStack() as scopes:
            scopes.enter_context(self._graph.as_default())
            scopes.enter_context(self._graph.name_scope(None))
            scopes.enter_context(self._graph.control_dependencies(None))
            made = self._graph.add_op(op.op_def, inputs, dict(op.attrs), name)
        made._set_device(op.device)
        made._original_op = self.ops.get(op._original_op, op._original_op)
        self.ops[op] = made
        for before, after in zip(op.outputs, made.outputs, strict=True):
            self.ts[before] = after
            self._collect(before, after)

    def _input(self, t: Any) -> Any:
        if t in self.ts:
            return self.ts[t]
        found = self._given(t) if id(t) in self._inputs else None
        if found is None:
            if t.graph is self._graph:
                found = t
            else:
                with self._graph.as_default():
                    found = lists.make_placeholder_from_tensor(t, scope=self._target)
        self.ts[t] = found
        return found

    def _collect(self, before: Any, after: Any) -> None:
        graph = self._view.graph
        for key in graph.get_all_collection_keys():
            if any(before is each for each in graph.get_collection(key)):
                own = key in _OWN_COLLECTIONS or not key.startswith(self._source)
                name = key if own else self._target + key[len(self._source) :]
                self._graph.add_to_collection(name, after)


def _copied(sgv: Any, dst_graph: Any, scopes: tuple[str, str], reuse: bool, given: Any) -> Any:
    view = subgraph.make_view(sgv)
    graph = view.graph if dst_graph is None else dst_graph
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    target, source = (lists.scope_finalize(each) for each in scopes)
    if target and not reuse:
        target = lists.scope_finalize(graph.unique_name(target[:-1]))
    if given is None:

        def given(t: Any) -> Any:
            with graph.as_default():
                return lists.make_placeholder_from_tensor(t, scope=target)

    info = _Copier(view, graph, (source, target), given).run()
    made = subgraph.SubGraphView(list(info._transformed_ops.values()))
    maps = []
    for before, after in ((view.inputs, made.inputs), (view.outputs, made.outputs)):
        mapped = [info._transformed_ts[t] for t in before if t in info._transformed_ts]
        maps.append([t for t in mapped if any(t is each for each in after)])
    return made.remap(lists.concatenate_unique([], maps[0]), maps[1]), info


def copy(
    sgv: Any,
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copies operations; placeholders stand in for what they take from others.

    Args:
      sgv: A view, or what `make_view` makes one of.
      dst_graph: The graph that the copies are made in, or None: the same.
      dst_scope: The scope of the copies.
      src_scope: The scope of the operations, which the copies' names are without.
      reuse_dst_scope: Whether the scope may be there already.

    Returns:
      A view of the copies, and what became of what.

    Raises:
      TypeError: `dst_graph` is no graph.
      ValueError: An operation is not in `src_scope`.
    """
    return _copied(sgv, dst_graph, (dst_scope, src_scope), reuse_dst_scope, None)  # type: ignore[no-any-return]


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Mapping[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copies operations, which take replacements for some of what they take from others; see
    `copy` for the rest. What is not replaced stays if it is in the same graph."""
    scopes = (dst_scope, src_scope)
    return _copied(sgv, dst_graph, scopes, reuse_dst_scope, replacement_ts.get)  # type: ignore[no-any-return]


def graph_replace(
    target_ts: Any,
    replacement_ts: Mapping[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Tensors as they would be if others were replaced: what lies between is copied.

    Args:
      target_ts: A tensor, or a tree of them.
      replacement_ts: What is put in the place of which tensors.
      dst_scope: The scope of the copies.
      src_scope: The scope of what is copied.
      reuse_dst_scope: Whether the scope may be there already.

    Raises:
      ValueError: No target depends on what is replaced.
    """
    targets = lists.flatten_tree(target_ts)
    graph = lists.get_unique_graph(targets, check_types=Tensor)
    control = lists.ControlOutputs(graph)
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    _, info = copy_with_input_replacements(
        ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, lambda t: t)
