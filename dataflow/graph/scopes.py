"""The default graph and session, and the scopes over it: names, devices, control dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from dataflow.graph import default_stacks
from dataflow.graph.graph import Graph


def get_default_graph() -> Graph:
    """The thread's default graph; each thread has a global one until it enters another."""
    stack = default_stacks.graphs
    graph = stack.top()
    if graph is None:
        if stack.global_default is None:
            stack.global_default = Graph()
        graph = stack.global_default
    return graph


def reset_default_graph() -> None:
    """Forgets the thread's global default graph; the next one asked for is empty.

    Raises:
      AssertionError: A graph's `as_default` context is open.
    """
    if default_stacks.graphs.stack:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    default_stacks.graphs.global_default = None


def get_default_session() -> Any:
    """The thread's innermost default session, or None."""
    return default_stacks.sessions.top()


def default_session(session: Any) -> AbstractContextManager[Any]:
    """Makes a session the thread's default inside the context."""
    return default_stacks.sessions.entered(session)


class name_scope:
    """Opens a name scope: `with tf.name_scope("layer1") as scope:`.

    Args:
      name: The scope's name, or None for `default_name`. One that ends in "/" is re-entered.
      default_name: The name to use if `name` is None.
      values: Tensors whose graph is made the default inside the scope.

    Raises:
      TypeError: A name is no string.
      ValueError: Values are passed without any name, or stem from different graphs.

    >>> with tf.name_scope("block"):
    ...     tf.add(1, 2, name="sum").name
    'block/sum:0'
    """

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._given = name
        self._values = values
        self._exits: list[AbstractContextManager[Any]] = []

    @property
    def name(self) -> Any:
        """The name asked for."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError(
                f"At least one of name ({self._given}) and default_name (None) must be provided."
            )
        graph = graph_of(self._values or ())
        if graph is not default_stacks.graphs.top():
            default = graph.as_default()
            default.__enter__()
            self._exits.append(default)
        scope = graph.name_scope(self._name)
        try:
            entered = scope.__enter__()
        except BaseException:
            self._leave()
            raise
        self._exits.append(scope)
        return entered

    def __exit__(self, *error: Any) -> None:
        self._leave(*error)

    def _leave(self, *error: Any) -> None:
        details = error or (None, None, None)
        while self._exits:
            self._exits.pop().__exit__(*details)


def graph_of(values: Any) -> Graph:
    """The graph the values belong to, or the default graph if none of them says.

    A graph that captures takes values of other graphs: the body of a function does.

    Raises:
      ValueError: They belong to different graphs.
    """
    default = default_stacks.graphs.top()
    if default is not None and default._captures:
        return default
    graph: Graph | None = None
    first: Any = None
    for value in values:
        candidate = getattr(value, "graph", None)
        if not isinstance(candidate, Graph):
            continue
        if graph is None:
            graph, first = candidate, value
        elif candidate is not graph:
            raise ValueError(
                f"{value} must be from the same graph as {first} (graphs are {candidate} and "
                f"{graph})."
            )
    return graph if graph is not None else get_default_graph()


def device(device_name_or_function: Any) -> AbstractContextManager[None]:
    """Places the operations made inside: a string, a DeviceSpec, a function, or None."""
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """Makes the operations made inside wait for these; None forgets the outer contexts.

    >>> v = tf.Variable(1.0)
    >>> with tf.control_dependencies([v.assign(4.0)]):
    ...     after = v.read_value()
    >>> with tf.Session() as session:
    ...     session.run(v.initializer)
    ...     print(session.run(after))
    4.0
    """
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """Puts the operations made inside on the device of `op`."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> AbstractContextManager[None]:
    """Keeps the state of operations made inside in a named resource container."""
    return get_default_graph().container(container_name)


@contextmanager
def init_scope() -> Iterator[None]:
    """Lifts the operations made inside out of functions, control dependencies and local devices."""
    graph = get_default_graph()
    scope = graph.get_name_scope()
    outer, inner_devices = _outside_of_functions(graph)
    with (
        outer.as_default() if outer is not graph else nullcontext(),
        outer.control_dependencies(None),
        outer.name_scope(scope + "/" if scope else None),
        outer._scopes.lifted_devices(inner_devices),
    ):
        yield


def _outside_of_functions(graph: Graph) -> tuple[Graph, list[Any]]:
    """The innermost default graph that is no function, and the device scopes on the way to it."""
    devices: list[Any] = []
    for entry in (graph, *reversed(default_stacks.graphs.stack)):
        if not entry._building_function:
            return entry, devices
        devices = devices or entry._scopes.device_stack
    if default_stacks.graphs.global_default is None:
        default_stacks.graphs.global_default = Graph()
    return default_stacks.graphs.global_default, devices


def op_scope(values: Any, name: Any, default_name: Any = None) -> name_scope:
    """Deprecated order of `name_scope`'s arguments."""
    return name_scope(name, default_name=default_name, values=values)


def add_to_collection(name: Any, value: Any) -> None:
    """Appends to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Appends to several collections of the default graph, once to each."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A copy of a collection of the default graph, filtered by name if `scope` is given."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself."""
    return get_default_graph().get_collection_ref(key)
