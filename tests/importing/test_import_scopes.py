"""Scopes that are open during an import: devices, colocation, control inputs, attrs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.importing.both import assert_same, parsed
from tests.importing.nodes import A, attr, identity, node, strings, together

Scope = Callable[[Any], Any]


def importing(text: str, *scopes: Scope, **arguments: Any) -> Callable[[Any], Any]:
    """A program that imports inside scopes, the last one innermost."""

    def run(lib: Any, left: tuple[Scope, ...] = scopes) -> Any:
        if not left:
            return lib.import_graph_def(parsed(lib, text), **arguments)
        with left[0](lib):
            return run(lib, left[1:])

    return run


def device(value: Any) -> Scope:
    return lambda lib: lib.device(value)


def by_type(op: Any) -> str:
    return "/job:ps" if op.type == "Placeholder" else f"{op.device}/job:w"


ON_1 = node("a", device="/cpu:1")
AFTER_A = together("a")
W7 = device("/job:w/cpu:7")

DEVICES = {
    "names are made canonical": importing(
        ON_1 + node("b", device="/job:w/cpu:0") + node("c", device="/device:cpu:0")
    ),
    "scope fills in": importing(ON_1 + node("b", device="/job:k") + node("c"), W7),
    "innermost scope wins": importing(ON_1 + node("b"), device("/job:k/cpu:9"), W7),
    "scope None": importing(ON_1 + node("b"), device("/job:w"), device(None)),
    "functions": importing(A + identity("b", "a", device="/cpu:1"), device(by_type)),
    "function and scopes": importing(ON_1 + A.replace('"a"', '"x"'), W7, device(by_type)),
    "colocated": importing(
        ON_1
        + node("b", device="/cpu:2", attrs=AFTER_A)
        + node("c", device="/cpu:3", attrs=together("c"))
        + node("d", attrs=together("b", "a"))
        + node("e", device="/cpu:5", attrs=strings("_class", "foo"))
    ),
    "colocated in a scope": importing(
        ON_1
        + node("b", device="/cpu:2", attrs=AFTER_A)
        + node("e")
        + node("c", attrs=together("e"))
        + node("f", attrs=together("f")),
        W7,
    ),
    "colocated with one without device": importing(node("a") + node("b", "NoOp", "", AFTER_A)),
    "colocated without device, in a scope": importing(
        node("a") + node("b", device="/cpu:2", attrs=AFTER_A), W7
    ),
    "colocated in a chain": importing(
        node("b", device="/cpu:2", attrs=together("c")) + node("c", attrs=AFTER_A) + ON_1
    ),
    "colocated under a function": importing(
        A + identity("b", "a", device="/cpu:1") + identity("c", "b", together("b")),
        device(by_type),
    ),
    "malformed device on a colocated node": importing(
        ON_1 + node("b", device="/cpu:0", attrs=AFTER_A)
    ),
}


@pytest.mark.parametrize("case", DEVICES)
def test_devices_are_tensorflows(case: str) -> None:
    assert_same(DEVICES[case])


def with_x(lib: Any, scope: str, text: str) -> Any:
    x = lib.no_op(name="x") if scope != "coloc device" else None
    if x is None:
        with lib.device("/cpu:3"):
            x = lib.no_op(name="x")
    opened = {
        "control": lambda: lib.control_dependencies([x]),
        "coloc": lambda: lib.colocate_with(x),
        "coloc device": lambda: lib.colocate_with(x),
    }[scope]()
    with opened:
        return lib.import_graph_def(parsed(lib, text), return_elements=["b"])


@pytest.mark.parametrize("scope", ["control", "coloc", "coloc device"])
def test_scopes_over_operations_reach_imported_ones(scope: str) -> None:
    text = A + identity("b", "a,^c", AFTER_A, device="/cpu:1") + node("c")
    assert_same(lambda lib: with_x(lib, scope, text))


def test_control_scopes_know_what_was_imported_inside() -> None:
    def program(lib: Any) -> Any:
        x = lib.no_op(name="x")
        with lib.control_dependencies([x]):
            (a,) = lib.import_graph_def(parsed(lib, A), return_elements=["a:0"])
            return [lib.identity(a, name="y"), lib.no_op(name="z")]

    assert_same(program)


def test_attr_scopes_reach_imported_operations() -> None:
    def program(lib: Any) -> Any:
        with lib.get_default_graph()._attr_scope({"_mark": lib.AttrValue(i=3)}):
            text = A + identity("b", "a", attr("_mark", "i: 4"))
            return lib.import_graph_def(parsed(lib, text))

    assert_same(program)


def test_containers_and_gradient_overrides_reach_imported_operations() -> None:
    variable = node(
        "v",
        "VariableV2",
        "",
        attr("dtype", "type: DT_FLOAT") + attr("shape", "shape { }"),
    )

    def program(lib: Any) -> Any:
        graph = lib.get_default_graph()
        with graph.container("box"), graph.gradient_override_map({"Identity": "Mine"}):
            return lib.import_graph_def(parsed(lib, variable + A + identity("b", "a")))

    assert_same(program)
