"""Lists of operations and of tensors, and the placeholders that stand in for tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.placeholder import placeholder


def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """Adds to a list what it does not hold, and returns it."""
    held = {id(each) for each in la}
    for each in lb:
        if id(each) not in held:
            held.add(id(each))
            la.append(each)
    return la


def is_iterable(obj: Any) -> bool:
    """Whether it can be iterated over; tensors do not count."""
    if isinstance(obj, Tensor):
        return False
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def flatten_tree(tree: Any, leaves: list[Any] | None = None) -> list[Any]:
    """The leaves of nested dictionaries and iterables, added to a list."""
    found = [] if leaves is None else leaves
    if isinstance(tree, Mapping):
        for child in tree.values():
            flatten_tree(child, found)
    elif is_iterable(tree):
        for child in tree:
            flatten_tree(child, found)
    else:
        found.append(tree)
    return found


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: Any = tuple) -> Any:
    """A tree whose leaves a function has been called with."""
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, Mapping):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())  # type: ignore[call-arg]
    children = (transform_tree(child, fn) for child in tree)
    if hasattr(tree, "_asdict"):
        return type(tree)(*children)
    return type(tree)(children) if isinstance(tree, list | tuple) else iterable_type(children)


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """The graph that all of the operations and tensors are in.

    Raises:
      TypeError: An element is neither.
      ValueError: They are in several graphs, or there are none.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    kinds = check_types or (Operation, Tensor)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    graph = None
    for each in tops:
        if not isinstance(each, kinds):
            names = ", ".join(str(kind) for kind in kinds)
            raise TypeError(f"Expected a type in ({names}), got: {type(each)}")
        if graph is None:
            graph = each.graph
        elif graph is not each.graph:
            raise ValueError(f"Operation {each} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def _listed(
    given: Any, kind: type, all_of: Callable[[Graph], list[Any]], flags: tuple[bool, bool, bool]
) -> list[Any]:
    check_graph, allow_graph, ignore_others = flags
    if isinstance(given, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return all_of(given)
    items = list(given) if is_iterable(given) else [given]
    if items and check_graph:
        get_unique_graph(items, check_types=None if ignore_others else kind)
    return [each for each in items if isinstance(each, kind)]


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Any]:
    """Operations: of a graph, of an iterable, or one.

    Raises:
      TypeError: It is a graph that may be none, or an element is no operation.
      ValueError: They are in several graphs.
    """
    flags = (check_graph, allow_graph, ignore_ts)
    return _listed(ops, Operation, lambda graph: graph.get_operations(), flags)


def get_tensors(graph: Any) -> list[Any]:
    """All tensors of a graph.

    Raises:
      TypeError: It is no graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Any]:
    """Tensors: of a graph, of an iterable, or one; see `make_list_of_op`."""
    return _listed(ts, Tensor, get_tensors, (check_graph, allow_graph, ignore_ops))


def get_generating_ops(ts: Any) -> list[Any]:
    """The operations that make tensors."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """The operations that take tensors."""
    found: list[Any] = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, tensor.consumers())
    return found


class ControlOutputs:
    """Which operations wait for which, of a graph."""

    def __init__(self, graph: Any) -> None:
        """Takes the graph.

        Raises:
          TypeError: It is none.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph

    def update(self) -> ControlOutputs:
        """Itself: what is told is always as the graph is."""
        return self

    def get_all(self) -> dict[Any, list[Any]]:
        """Each operation that is waited for, and those that wait."""
        found = {op: op._control_outputs_list for op in self._graph.get_operations()}
        return {op: waiting for op, waiting in found.items() if waiting}

    def get(self, op: Any) -> list[Any]:
        """Those that wait for an operation."""
        found: list[Any] = op._control_outputs_list
        return found

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph


class ListView:
    """A list that cannot be changed."""

    def __init__(self, list_: Any) -> None:
        """Takes the list.

        Raises:
          TypeError: It is none.
        """
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Any) -> list[Any]:
        return [*self, *other]


def scope_finalize(scope: str) -> str:
    """A scope with a slash at its end, or ""."""
    return f"{scope}/" if scope and scope[-1] != "/" else scope


def placeholder_name(t: Any = None, scope: str | None = None, prefix: str = "geph") -> str:
    """The name of a placeholder that stands in for a tensor."""
    if t is None:
        return f"{'' if scope is None else scope_finalize(scope)}{prefix}"
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    before, slash, last = t.op.name.rpartition("/")
    own = before + slash if scope is None else scope_finalize(scope)
    return own + (last if last.startswith(f"{prefix}__") else f"{prefix}__{last}_{t.value_index}")


def make_placeholder_from_tensor(t: Any, scope: str | None = None, prefix: str = "geph") -> Any:
    """A placeholder of the type and shape of a tensor."""
    return placeholder(t.dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: str | None = None, prefix: str = "geph"
) -> Any:
    """A placeholder of a type and shape."""
    return placeholder(dtype, shape, placeholder_name(scope=scope, prefix=prefix))
