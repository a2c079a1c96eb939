"""Choosing operations and tensors: by names, by walks along edges, by boundaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from dataflow.contrib.graph_editor import lists
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor


def can_be_regex(obj: Any) -> bool:
    """Whether it is a string or a compiled pattern."""
    return isinstance(obj, str | re.Pattern)


def make_regex(obj: Any) -> re.Pattern[str]:
    """A compiled pattern.

    Raises:
      ValueError: It is neither a string nor a pattern.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def filter_ts(ops: Any, positive_filter: Any) -> list[Any]:
    """The inputs and outputs of operations that a function, or True, accepts."""
    listed = lists.make_list_of_op(ops)
    found = lists.concatenate_unique([], (t for op in listed for t in op.inputs))
    lists.concatenate_unique(found, (t for op in listed for t in op.outputs))
    return found if positive_filter is True else [t for t in found if positive_filter(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The inputs and outputs of operations in whose names a pattern is found."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Any]:
    """The operations that a function, or True, accepts."""
    listed = lists.make_list_of_op(ops)
    return listed if positive_filter is True else [op for op in listed if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The operations in whose names a pattern is found."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Any]:
    """The operations in a scope."""
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def check_cios(
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[bool, Any]:
    """Whether walks follow control inputs, and with what control outputs.

    Raises:
      TypeError: The outputs are no `ControlOutputs`.
      ValueError: They are given twice.
    """
    given = control_outputs if control_ios is None else control_ios
    if given is not None and not isinstance(given, lists.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None and control_outputs is not None:
        raise ValueError("control_outputs should be None when using control_ios.")
    return control_inputs or control_ios is not None, given


def get_ops_ios(
    ops: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> list[Any]:
    """The operations that operations have edges from and to."""
    before, after = check_cios(control_inputs, control_outputs, control_ios)
    found: list[Any] = []
    for op in lists.make_list_of_op(ops):
        lists.concatenate_unique(found, _before(op, False))
        lists.concatenate_unique(found, _after(op, after, ()))
        if before:
            lists.concatenate_unique(found, op.control_inputs)
    return found


def _before(op: Any, control_inputs: bool, stop: Iterable[Any] = ()) -> list[Any]:
    ops = [t.op for t in op.inputs if not any(t is each for each in stop)]
    return [*ops, *op.control_inputs] if control_inputs else ops


def _after(op: Any, control_outputs: Any, stop: Iterable[Any]) -> list[Any]:
    kept = [t for t in op.outputs if not any(t is each for each in stop)]
    ops = [consumer for t in kept for consumer in t.consumers()]
    return ops if control_outputs is None else [*ops, *control_outputs.get(op)]


def compute_boundary_ts(ops: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Tensors that operations take from others, that they give to others or to none, and that
    they make for one another."""
    listed = lists.make_list_of_op(ops)
    within = frozenset(listed)
    taken = lists.concatenate_unique([], (t for op in listed for t in op.inputs))
    inputs = [t for t in taken if t.op not in within]
    insides = [t for t in taken if t.op in within]
    only_inside = {id(t) for t in insides if within.issuperset(t.consumers())}
    outputs = [t for op in listed for t in op.outputs if id(t) not in only_inside]
    return inputs, outputs, insides


def get_within_boundary_ts(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The outputs of `get_within_boundary_ops`."""
    found = get_within_boundary_ops(
        ops, seed_ops, boundary_ops, inclusive, control_inputs, control_outputs, control_ios
    )
    return [t for op in found for t in op.outputs]


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Those of `ops` that are reached from seeds, along edges either way, up to a boundary.

    Raises:
      ValueError: A seed is in the boundary.
    """
    before, after = check_cios(control_inputs, control_outputs, control_ios)
    found = set(lists.make_list_of_op(seed_ops, allow_graph=False))
    boundary = set(lists.make_list_of_op(boundary_ops))
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    wave = list(found)
    while wave:
        reached = [op for op in get_ops_ios(wave, before, after) if op not in found]
        wave = [op for op in reached if op not in boundary]
        found.update(reached if inclusive else wave)
    return [op for op in lists.make_list_of_op(ops) if op in found]


def _walk(
    seeds: list[Any],
    inclusive: bool,
    within: tuple[Any, Any],
    neighbours: Callable[[Any], list[Any]],
) -> list[Any]:
    """Operations in the order that a walk comes to them, breadth first."""
    allowed, accepts = within
    if allowed:
        allowed = frozenset(lists.make_list_of_op(allowed, allow_graph=False))
        seeds = [op for op in seeds if op in allowed]
    start = list(dict.fromkeys(seeds))
    found = dict.fromkeys(start)
    wave = start
    while wave:
        reached = dict.fromkeys(each for op in wave for each in neighbours(op))
        wave = [
            op
            for op in reached
            if op not in found
            and (not allowed or op in allowed)
            and (accepts is None or accepts(op))
        ]
        found.update(dict.fromkeys(wave))
    first = frozenset(start)
    return [op for op in found if inclusive or op not in first]


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], list[Any]]) -> list[Any]:
    listed = list(seed_ops) if lists.is_iterable(seed_ops) else [seed_ops]
    if listed and isinstance(listed[0], Tensor):
        return of_tensors(lists.make_list_of_t(listed, allow_graph=False))
    return lists.make_list_of_op(listed, allow_graph=False)


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Any]:
    """The operations that are reached from seeds along edges.

    Args:
      seed_ops: Operations, or tensors: those that take them.
      inclusive: Whether the seeds are among what is returned.
      within_ops: Operations that the walk stays in, or None: all.
      within_ops_fn: A function that tells whether the walk may come to an operation, or None.
      stop_at_ts: Tensors that the walk does not pass.
      control_outputs: A `ControlOutputs`, whose edges are followed as well.
    """
    _, after = check_cios(False, control_outputs)
    stop = lists.make_list_of_t(stop_at_ts)
    seeds = _seeds(seed_ops, lists.get_consuming_ops)
    within = (within_ops, within_ops_fn)
    return _walk(seeds, inclusive, within, lambda op: _after(op, after, stop))


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> list[Any]:
    """The operations that are reached from seeds against edges; see `get_forward_walk_ops`."""
    stop = lists.make_list_of_t(stop_at_ts)
    seeds = _seeds(seed_ops, lists.get_generating_ops)
    within = (within_ops, within_ops_fn)
    return _walk(seeds, inclusive, within, lambda op: _before(op, control_inputs, stop))


def _both_walks(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    inclusive: tuple[bool, bool],
    within: tuple[Any, Any],
    control: tuple[bool, Any],
) -> tuple[list[Any], list[Any]]:
    forward = get_forward_walk_ops(
        forward_seed_ops, inclusive[0], *within, control_outputs=control[1]
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, inclusive[1], *within, control_inputs=control[0]
    )
    return forward, backward


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The operations that both walks come to."""
    control = check_cios(control_inputs, control_outputs, control_ios)
    inclusive, within = (forward_inclusive, backward_inclusive), (within_ops, within_ops_fn)
    forward, backward = _both_walks(forward_seed_ops, backward_seed_ops, inclusive, within, control)
    reached = frozenset(backward)
    return [op for op in forward if op in reached]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The operations that either walk comes to."""
    control = check_cios(control_inputs, control_outputs, control_ios)
    inclusive, within = (forward_inclusive, backward_inclusive), (within_ops, within_ops_fn)
    forward, backward = _both_walks(forward_seed_ops, backward_seed_ops, inclusive, within, control)
    return lists.concatenate_unique(forward, backward)


def _selected(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    kinds: tuple[str, str],
    of_names: Callable[[Any, Any], list[Any]],
    listed: Callable[[Any], list[Any]],
) -> list[Any]:
    own, other = kinds
    accepted = ("graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex")
    for key in kwargs:
        if key not in accepted:
            raise ValueError(f"Wrong keywords argument: {key}.")
    graph, accepts = kwargs.get("graph"), kwargs.get("positive_filter")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    found: list[Any] = []
    for arg in args:
        if not can_be_regex(arg):
            chosen = listed(arg)
        elif graph is None:
            raise ValueError("Use the keyword argument 'graph' to use regex.")
        else:
            pattern = make_regex(arg)
            marked = pattern.pattern.startswith(f"(?#{own})")
            if pattern.pattern.startswith(f"(?#{other})") or (
                kwargs.get(f"restrict_{own}_regex") and not marked
            ):
                continue
            chosen = of_names(graph, pattern)
        lists.concatenate_unique(found, (e for e in chosen if accepts is None or accepts(e)))
    return found


def select_ops(*args: Any, **kwargs: Any) -> list[Any]:
    """Operations: of lists, of graphs, and of patterns of their names.

    Args:
      *args: Operations, iterables of them, graphs, or patterns.
      **kwargs: `graph`, that the patterns are for; `positive_filter`, a function that accepts
        operations; `restrict_ops_regex`: whether only patterns that begin with `(?#ops)` count.
        Those that begin with `(?#ts)` never do.

    Raises:
      ValueError: Another argument is given, or a pattern without a graph.
      TypeError: The graph is none.
    """
    return _selected(
        args,
        kwargs,
        ("ops", "ts"),
        filter_ops_from_regex,
        lambda given: lists.make_list_of_op(given, ignore_ts=True),
    )


def select_ts(*args: Any, **kwargs: Any) -> list[Any]:
    """Tensors, as `select_ops` does operations: with `ts` in the place of `ops`."""
    return _selected(
        args,
        kwargs,
        ("ts", "ops"),
        filter_ts_from_regex,
        lambda given: lists.make_list_of_t(given, ignore_ops=True),
    )


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Any], list[Any]]:
    """Operations and tensors: patterns are of operations, unless they begin with `(?#ts)`."""
    ops = select_ops(*args, **{**kwargs, "restrict_ops_regex": False})
    return ops, select_ts(*args, **{**kwargs, "restrict_ts_regex": True})
