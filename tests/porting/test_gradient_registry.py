"""The registry of gradients, that programs ask before they register one of a name."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import ops as oracle_ops

import dataflow as tf
from dataflow.porting.spellings.framework import graph_internals
from dataflow.schema import opdef

NAME = "OnlyWhereBothArePositive"


def _guided(library: Any, registry: Any) -> list[Any]:
    """What a saliency program does: registers once, under a name that it looks for."""
    found: list[Any] = [NAME in registry._registry, NAME in registry.list()]

    for _ in range(2):
        if NAME not in registry._registry:

            @library.RegisterGradient(NAME)
            def guided(op: Any, grad: Any) -> Any:
                return grad * library.cast(grad > 0.0, grad.dtype) * library.sign(op.outputs[0])

    found += [NAME in registry._registry, NAME in registry.list()]
    found.append(registry.lookup(NAME.encode()) is registry._registry[NAME]["type"])
    with library.Graph().as_default() as graph:
        x = library.constant([-1.0, 2.0, 3.0])
        with graph.gradient_override_map({"Relu": NAME}):
            y = library.nn.relu(x) * library.constant([1.0, 5.0, -1.0])
        with library.Session() as session:
            found.append(session.run(library.gradients(y, x)[0]).tolist())
    with pytest.raises(KeyError) as taken:
        registry.register(guided, NAME)
    found.append(str(taken.value).split("(", 1)[0])
    del registry._registry[NAME]
    with pytest.raises(LookupError) as missing:
        registry.lookup(NAME)
    found.append(str(missing.value))
    registry._registry[NAME] = {"type": guided}
    found += [registry.lookup(NAME) is guided, registry._registry.pop(NAME)["type"] is guided]
    return [*found, NAME in registry._registry, registry.lookup("Shape")]


def test_programs_find_add_and_remove_gradients() -> None:
    ours = graph_internals._gradient_registry
    assert ours is graph_internals.gradient_registry
    found = _guided(tf, ours)
    assert found == _guided(oracle, oracle_ops.gradient_registry)
    assert found[5] == [0.0, 5.0, 0.0]
    assert len(ours._registry) == len(opdef.registered_gradients()) == len(ours.list())
