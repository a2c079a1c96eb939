"""Operations between layers as layers, so that models may be made of both."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.keras.engine.node import history_of
from dataflow.keras.engine.refusals import refuse_legacy
from dataflow.values import nest


def needs_keras_history(tensors: Any) -> bool:
    """Whether some tensor is computed from tensors of layers by operations that no layer made."""
    flat = nest.flatten(tensors)
    return any(history_of(each) is None and _comes_of_layers(each) for each in flat)


def _comes_of_layers(tensor: Any) -> bool:
    if history_of(tensor) is not None:
        return True
    waiting, seen = [tensor], []
    while waiting:
        each = waiting.pop()
        if history_of(each) is not None:
            return True
        if not isinstance(each, ops.Tensor) or getattr(each, "_keras_history_checked", False):
            continue
        vars(each)["_keras_history_checked"] = True
        seen.append(each)
        waiting.extend(each.op.inputs)
    return False


def create_keras_history(tensors: Any) -> None:
    """Makes a layer of each operation between tensors of layers and these tensors."""
    from dataflow.keras.engine.op_layer import TensorFlowOpLayer

    for start in nest.flatten(tensors):
        waiting = [start] if isinstance(start, ops.Tensor) and history_of(start) is None else []
        begun: set[int] = set()
        while waiting:
            tensor = waiting[-1]
            if history_of(tensor) is not None:
                waiting.pop()
                continue
            refuse_legacy([getattr(tensor, "_legacy_layer", None)])
            sources = [each for each in tensor.op.inputs if _reaches_layers(each)]
            missing = [each for each in sources if history_of(each) is None]
            if missing:
                if any(id(each) in begun for each in missing):
                    raise ValueError(
                        f"Operation {tensor.op.name} is part of a loop between layers, of which no "
                        "layers can be made. Put the loop into the `call` of a layer, or into a "
                        "`Lambda`."
                    )
                begun.add(id(tensor))
                waiting.extend(missing)
                continue
            waiting.pop()
            if sources:
                TensorFlowOpLayer.of(tensor.op, sources)


def _reaches_layers(tensor: Any) -> bool:
    """Like `_comes_of_layers`, without what it remembers."""
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        if history_of(each) is not None:
            return True
        if id(each) not in seen:
            seen.add(id(each))
            waiting.extend(each.op.inputs)
    return False
