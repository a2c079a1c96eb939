"""Copies of parts of graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.graph_editor import lists, reroute, select, subgraph
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values.attrs import decode_map

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


class _Copy:
    """One use of a `Transformer`: what is copied and where to; handlers are given it."""

    def __init__(self, view: Any, graph: Any, scopes: tuple[str, str]) -> None:
        self.sgv = view
        self.graph, self.graph_ = view.graph, graph
        self.scope, self.scope_ = scopes
        self.transformed_ops: dict[Any, Any] = {}
        self.transformed_ts: dict[Any, Any] = {}

    def new_name(self, name: str) -> str:
        """The name of a copy.

        Raises:
          ValueError: The name is not in the scope of what is copied.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """A placeholder in the place of a tensor."""
    with info.graph_.as_default():
        return lists.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """The tensor itself in the same graph, a placeholder in another one."""
    return t if t.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """The copy of an operation; one that is not copied itself if it is in the same graph."""
    stays = keep_if_possible and op.graph is info.graph_
    return info.transformed_ops.get(op, op if stays else None)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Puts a copy into the collections of what it is a copy of; the program's have new names."""
    for key in info.graph.get_all_collection_keys():
        if any(elem is each for each in info.graph.get_collection(key)):
            own = key in _OWN_COLLECTIONS or not key.startswith(info.scope)
            info.graph_.add_to_collection(key if own else info.new_name(key), elem_)


def copy_op_handler(
    info: Any,
    op: Any,
    new_inputs: Any,
    copy_shape: bool = False,
    nodedef_fn: Callable[[Any], Any] | None = None,
) -> tuple[Any, Any]:
    """Copies an operation.

    Args:
      info: Which use of a `Transformer` it is.
      op: The operation.
      new_inputs: What the copy takes.
      copy_shape: Whether the copy's outputs have the shapes of the operation's.
      nodedef_fn: Takes a NodeDef with the copy's name, and gives one with its name and attrs.

    Returns:
      The copy, and its outputs.
    """
    name, attrs = info.new_name(op.name), dict(op.attrs)
    if nodedef_fn is not None:
        node = NodeDef()
        node.CopyFrom(op.node_def)
        node.name = name
        node = nodedef_fn(node)
        name, attrs = node.name, decode_map(node.attr)
    with contextlib.ExitStack() as scopes:
        scopes.enter_context(info.graph_.as_default())
        scopes.enter_context(info.graph_.name_scope(None))
        scopes.enter_context(info.graph_.control_dependencies(None))
        made = info.graph_.add_op(op.op_def, list(new_inputs), attrs, name)
    made._set_device(op.device)
    if copy_shape:
        for before, after in zip(op.outputs, made.outputs, strict=True):
            after.set_shape(before.shape)
    return made, made.outputs


class Transformer:
    """Copies parts of graphs; what its handlers do may be exchanged.

    Each handler takes what is copied and where to as its first argument. `transform_op_handler`
    also takes an operation and new inputs, and gives a copy and its outputs;
    `transform_control_input_handler` and `transform_original_op_handler` an operation, and give one
    or None; `transform_external_input_handler` a tensor that comes from outside, and
    `transform_external_hidden_input_handler` one that is no input of the view, and give a tensor;
    `assign_collections_handler` what was copied and the copy.
    """

    def __init__(self) -> None:
        """Copies operations as they are, with placeholders for their inputs from outside."""
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = (
            replace_t_with_placeholder_handler
        )
        self.transform_external_hidden_input_handler: Callable[..., Any] = (
            keep_t_if_possible_handler
        )
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler

    def __call__(
        self,
        sgv: Any,
        dst_graph: Any,
        dst_scope: str,
        src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> tuple[Any, TransformerInfo]:
        """Copies operations; see `copy`."""
        view = subgraph.make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        target, source = lists.scope_finalize(dst_scope), lists.scope_finalize(src_scope)
        if target and not reuse_dst_scope:
            target = lists.scope_finalize(dst_graph.unique_name(target[:-1]))
        info = _Copy(view, dst_graph, (source, target))
        self._copy_ops(info)
        made = subgraph.SubGraphView(list(info.transformed_ops.values()))
        maps = []
        for before, after in ((view.inputs, made.inputs), (view.outputs, made.outputs)):
            mapped = [info.transformed_ts[t] for t in before if t in info.transformed_ts]
            maps.append([t for t in mapped if any(t is each for each in after)])
        found = TransformerInfo(info.transformed_ops, info.transformed_ts)
        return made.remap(lists.concatenate_unique([], maps[0]), maps[1]), found

    def _copy_ops(self, info: _Copy) -> None:
        within, inputs = frozenset(info.sgv.ops), {id(t) for t in info.sgv.inputs}
        ops, ts = info.transformed_ops, info.transformed_ts
        late: list[tuple[Any, int, Any]] = []

        def given(t: Any) -> Any:
            """What stands for a tensor; one from outside has a stand-in for each use."""
            if t in ts:
                return ts[t]
            if id(t) in inputs:
                return self.transform_external_input_handler(info, t)
            return self.transform_external_hidden_input_handler(info, t)

        def for_now(op: Any, t: Any) -> Any:
            """What stands for a tensor of a loop whose operation is copied later."""
            if op.type == "Merge":
                return given(op.inputs[0])
            if t.op.type == "Enter":
                return given(t.op.inputs[0])
            with info.graph_.as_default():
                return lists.make_placeholder_from_tensor(t, info.scope_, prefix="geph_tmp")

        for op in sorted(info.sgv.ops, key=lambda each: each._id):
            taken = []
            for index, t in enumerate(op.inputs):
                if t.op in within and t not in ts:
                    late.append((op, index, t))
                    taken.append(for_now(op, t))
                else:
                    taken.append(given(t))
            made, outputs = self.transform_op_handler(info, op, taken)
            if made is op:
                raise ValueError("In-place transformation not allowed.")
            ops[op] = made
            for before, after in zip(op.outputs, outputs, strict=True):
                ts[before] = after
                self.assign_collections_handler(info, before, after)
        for op, index, t in late:
            ops[op]._update_input(index, ts[t])
        for op, made in ops.items():
            if op._original_op is not None:
                made._original_op = self.transform_original_op_handler(info, op._original_op)
            waits = [self.transform_control_input_handler(info, each) for each in op.control_inputs]
            reroute.add_control_inputs(made, [each for each in waits if each is not None])
            self.assign_collections_handler(info, op, made)


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
    view = subgraph.make_view(sgv)
    graph = view.graph if dst_graph is None else dst_graph
    return Transformer()(view, graph, dst_scope, src_scope, reuse_dst_scope)


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
    view = subgraph.make_view(sgv)
    copier = Transformer()
    copier.transform_external_input_handler = lambda info, t: (
        replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)
    )
    graph = view.graph if dst_graph is None else dst_graph
    return copier(view, graph, dst_scope, src_scope, reuse_dst_scope)


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
