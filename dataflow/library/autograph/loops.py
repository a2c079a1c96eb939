"""What converted functions call for `while` and `for`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.control_flow.cond import cond as choose
from dataflow.control_flow.while_loop import while_loop
from dataflow.errors import OperatorNotAllowedInGraphError
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.autograph.branches import GetState, SetState
from dataflow.library.autograph.state import (
    goes_through,
    is_tensor,
    is_undefined,
    packed,
    same_kind,
    tensors_of,
)
from dataflow.library.datasets.dataset import Dataset
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape
from dataflow.values import nest
from dataflow.values.shapes import TensorShape

_OPTIONS = ("maximum_iterations", "parallel_iterations", "swap_memory")


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """A `while` statement.

    Args:
      test: Gives what is tested before each turn.
      body: The statements, which set variables around them.
      get_state: Gives the values of variables that they set.
      set_state: Sets them.
      symbol_names: Their names.
      opts: Arguments for `tf.while_loop`.

    Raises:
      ValueError: The test is a tensor, and a variable changes its type, shape or structure.
    """
    before = get_state()
    with FuncGraph("test").as_default():
        first = test()
    set_state(before)
    if is_tensor(first):
        _repeat(test, body, get_state, set_state, symbol_names, opts)
        return
    while _known(test(), "while"):
        body()


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """A `for` statement.

    Args:
      iter_: What is gone through: the rows of a tensor and the elements of a dataset, in one
        operation each, or what Python goes through.
      extra_test: Whether the loop goes on, where it has `break` or `return`.
      body: The statements, which take an element and set variables around them.
      get_state: Gives the values of variables that they set.
      set_state: Sets them.
      symbol_names: Their names.
      opts: Arguments for `tf.while_loop`.

    Raises:
      ValueError: It is a loop of operations, and a variable changes its type, shape or structure.
    """
    state = (get_state, set_state, symbol_names, opts)
    if isinstance(iter_, Tensor):
        _rows(iter_, extra_test, body, *state)
    elif isinstance(iter_, Dataset):
        _elements(iter_, extra_test, body, get_state, set_state, symbol_names)
    elif extra_test is None:
        for each in iter_:
            body(each)
    elif _known(extra_test(), "for"):
        for each in iter_:
            body(each)
            if not _known(extra_test(), "for"):
                break


def _known(value: Any, kind: str) -> bool:
    """A test of a Python loop."""
    try:
        return bool(value)
    except OperatorNotAllowedInGraphError:
        raise NotImplementedError(
            "break and return statements which depend on a TF condition are not supported in "
            f"Python {kind} loops. Did you intend to make it a TF loop?"
        ) from None


def _rows(
    rows: Tensor,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    count = rows.shape.dims[0].value if rows.shape.dims else None
    size = convert_to_tensor(shape(rows)[0] if count is None else count)
    place = [convert_to_tensor(0)]

    def with_place() -> Sequence[Any]:
        return (*get_state(), place[0])

    def put(values: Sequence[Any]) -> None:
        place[0] = values[-1]
        set_state(tuple(values[:-1]))

    def test() -> Any:
        within = place[0] < size
        if extra_test is None:
            return within
        return choose(within, lambda: convert_to_tensor(extra_test()), lambda: within)

    def turn() -> None:
        body(rows[place[0]])
        place[0] = place[0] + 1

    _repeat(test, turn, with_place, put, (*symbol_names, "iteration"), opts)


def _elements(
    dataset: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
) -> None:
    start = _started(lambda: body(_placeholders(dataset)), get_state, set_state)

    def turn(values: tuple[Any, ...], *element: Any) -> tuple[Any, ...]:
        set_state(packed(start, values))
        one = element[0] if len(element) == 1 else element

        def run() -> tuple[Any, ...]:
            body(one)
            _check_turn(start, get_state(), symbol_names)
            return tuple(tensors_of(get_state()))

        if extra_test is None:
            return run()
        return tuple(choose(convert_to_tensor(extra_test()), run, lambda: values, strict=True))

    found = dataset.reduce(tuple(tensors_of(start)), turn)
    set_state(packed(start, found))


def _placeholders(dataset: Any) -> Any:
    graph = FuncGraph("element")
    return nest.map_structure(
        lambda spec: graph.placeholder(spec.dtype, spec.shape, None), dataset.element_spec
    )


def _repeat(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """Repeats a body by an operation."""
    start = _started(body, get_state, set_state)

    def condition(*values: Any) -> Any:
        set_state(packed(start, values))
        return test()

    def turn(*values: Any) -> Any:
        set_state(packed(start, values))
        body()
        after = get_state()
        _check_turn(start, after, symbol_names)
        return tensors_of(after)

    options = {name: opts[name] for name in _OPTIONS if name in opts}
    tensors = tensors_of(start)
    invariants = _invariants(opts.get("shape_invariants", ()), start, tensors)
    found = while_loop(condition, turn, tensors, invariants, return_same_structure=True, **options)
    set_state(packed(start, found))


def _invariants(given: Any, start: Sequence[Any], tensors: Sequence[Any]) -> Any:
    """The shapes that hold in every turn, of those tensors for which the program said some."""
    if not given:
        return None
    said = {id(tensor): as_known for tensor, as_known in given}
    names = [each for each in nest.flatten(list(start)) if goes_through(each)]
    return [
        TensorShape(said[id(value)]) if id(value) in said else getattr(tensor, "shape", None)
        for value, tensor in zip(names, tensors, strict=True)
    ]


def _started(body: Callable[[], Any], get_state: GetState, set_state: SetState) -> tuple[Any, ...]:
    """The variables' values before a loop; those that its body sets first are zeros."""
    before = tuple(get_state())
    if not any(map(is_undefined, before)):
        return before
    with FuncGraph("body").as_default():
        body()
        after = get_state()
    set_state(before)
    return tuple(
        _zeros_like(later) if is_undefined(value) else value
        for value, later in zip(before, after, strict=True)
    )


def _zeros_like(value: Any) -> Any:
    def made(each: Any) -> Any:
        if not goes_through(each):
            return each
        tensor = convert_to_tensor(each)
        return zeros([size or 0 for size in tensor.shape.as_list()], tensor.dtype)

    return nest.map_structure(made, value)


def _check_turn(before: Sequence[Any], after: Sequence[Any], names: Sequence[str]) -> None:
    for name, mine, its in zip(names, before, after, strict=True):
        if not same_kind(mine, its):
            raise ValueError(
                f"'{name}' must keep its structure and its values that are no tensors in a loop "
                f"of operations: it was {mine!r} before, and {its!r} after a turn"
            )
