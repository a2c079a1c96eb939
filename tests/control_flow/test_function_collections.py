"""Collections of a function's body: which the graph around has in common with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import function as oracle_function

import dataflow as tf
from dataflow.library.defun import Defun
from tests.control_flow.functional import functional_control_flow

_DEFUNS = {tf: Defun, oracle: oracle_function.Defun}


class _Seen:
    """Notes what the collections hold, as texts."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.notes: list[tuple[str, dict[str, list[str]]]] = []

    def note(self, place: str) -> None:
        graph = self.library.get_default_graph()
        names = [name for name in graph.get_all_collection_keys() if isinstance(name, str)]
        held = {name: [_name(item) for item in graph.get_collection(name)] for name in names}
        held["dtype of variables"] = [self.library.get_variable_scope().dtype.name]
        self.notes.append((place, {name: items for name, items in held.items() if items}))

    def add(self, place: str) -> None:
        """Adds to a collection that the graph around has, and to one that it lacks."""
        self.note(f"entering {place}")
        self.library.add_to_collection("known", place)
        self.library.add_to_collection(f"new in {place}", place)
        self.library.get_collection_ref("held").append(place)
        zeros = self.library.zeros_initializer()
        self.library.get_variable(f"{place}_global", [], initializer=zeros, use_resource=True)
        self.library.get_local_variable(f"{place}_local", [], initializer=zeros, use_resource=True)
        self.library.get_variable_scope().set_dtype(self.library.float64)
        self.note(f"leaving {place}")


def _name(item: Any) -> str:
    return item if isinstance(item, str) else str(item.name)


def _gradient_of_square(seen: _Seen) -> Callable[[Any], Any]:
    """x * x, whose gradient adds to collections."""

    @seen.library.custom_gradient
    def square(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            seen.add("gradient")
            return dy * 2.0 * x

        return x * x, gradient

    return square  # type: ignore[no-any-return]


def _branches(seen: _Seen) -> None:
    library = seen.library
    square = _gradient_of_square(seen)

    def taken() -> Any:
        seen.add("branch")
        return square(x)

    x = library.placeholder("float32", [], name="x")
    y = library.cond(x > 0.0, taken, lambda: x)
    seen.note("after the branches")
    library.gradients(y, x)


def _loop(seen: _Seen) -> None:
    library = seen.library
    square = _gradient_of_square(seen)

    def condition(i: Any, a: Any) -> Any:
        seen.add("condition")
        return i < 3

    def body(i: Any, a: Any) -> Any:
        seen.add("body")
        return i + 1, square(a)

    x = library.placeholder("float32", [], name="x")
    y = library.while_loop(condition, body, [0, x])[1]
    seen.note("after the loop")
    library.gradients(y, x)


def _gradient_alone(seen: _Seen) -> None:
    library = seen.library
    square = _gradient_of_square(seen)
    x = library.placeholder("float32", [], name="x")
    y = library.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, square(a)), [0, x])[1]
    library.gradients(y, x)


def _function(seen: _Seen) -> None:
    library = seen.library

    @_DEFUNS[library](library.float32)
    def plus(x: Any) -> Any:
        seen.add("function")
        v = library.get_variable("v", [], x.dtype, library.zeros_initializer())
        return x + v

    plus(library.constant(1.0))


def _function_in_a_branch(seen: _Seen) -> None:
    library = seen.library

    @_DEFUNS[library](library.float32)
    def twice(x: Any) -> Any:
        seen.add("function")
        return x + x

    x = library.placeholder("float32", [], name="x")
    library.cond(x > 0.0, lambda: twice(x), lambda: x)


@pytest.mark.parametrize("with_variable", [False, True])
@pytest.mark.parametrize(
    "program", [_branches, _loop, _gradient_alone, _function, _function_in_a_branch]
)
def test_as_tensorflow(program: Callable[[_Seen], None], with_variable: bool) -> None:
    ours, theirs = (_seen(library, program, with_variable) for library in (tf, oracle))
    assert ours == theirs


def _seen(library: Any, program: Callable[[_Seen], None], with_variable: bool) -> list[Any]:
    seen = _Seen(library)
    zeros = library.zeros_initializer()
    with functional_control_flow(library), library.Graph().as_default():
        library.add_to_collection("known", "outside")
        if with_variable:
            library.get_variable("before", [], initializer=zeros)
        program(seen)
        seen.note("outside")
        # A name that a body has used up is used up here.
        for place in ("branch", "condition", "body", "gradient", "function"):
            try:
                library.get_variable(f"{place}_global", [], initializer=zeros)
            except ValueError:
                seen.note(f"{place} has made its variable")
    return seen.notes
