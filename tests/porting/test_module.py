"""tf.Module, against TensorFlow's in a graph."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as oracle

import dataflow as tf

tf1 = oracle.compat.v1


def describe(library: Any, module: Any) -> list[Any]:
    class OuterNet2D(module):  # type: ignore[misc]
        def __init__(self, name: str | None = None) -> None:
            super().__init__(name)
            with self.name_scope:
                self.b = library.Variable(1.0, name="b", use_resource=True)
                self.a = [library.Variable(2.0, False, name="a", use_resource=True), {"x": self.b}]
            self.inner = (Inner(), Inner("other"))
            self.again = self.inner[1]
            self.number = 7

        @module.with_name_scope  # type: ignore[untyped-decorator]
        def __call__(self) -> Any:
            return library.identity(self.b, name="out")

    class Inner(module):  # type: ignore[misc]
        def __init__(self, name: str | None = None) -> None:
            super().__init__(name)
            self.w = library.Variable(3.0, name="w", use_resource=True)

    with library.Graph().as_default():
        made, second = OuterNet2D(), OuterNet2D("named")
        return [
            made.name,
            second.name,
            [v.name for v in made.variables],
            [v.name for v in second.trainable_variables],
            [v.name for v in made.non_trainable_variables],
            [m.name for m in made.submodules],
            made().name,
            second().name,
            made().name,
        ]


def test_a_module_finds_what_is_in_it() -> None:
    assert describe(tf, tf.Module) == describe(tf1, oracle.Module)


@pytest.mark.parametrize("module", [tf.Module, oracle.Module])
def test_a_module_has_an_identifier_for_a_name(module: Any) -> None:
    with pytest.raises(ValueError, match="'a-b' is not a valid module name"):
        module(name="a-b")
