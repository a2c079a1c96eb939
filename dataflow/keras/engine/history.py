"""Operations between layers as layers, so that models may be made of both."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.keras.engine.node import KerasHistory, Node, history_of
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
    for start in nest.flatten(tensors):
        waiting = [start] if isinstance(start, ops.Tensor) and history_of(start) is None else []
        begun: set[int] = set()
        while waiting:
            tensor = waiting[-1]
            if history_of(tensor) is not None:
                waiting.pop()
                continue
            call = _legacy_call(tensor)
            given = tensor.op.inputs if call is None else nest.flatten(call[1])
            sources = [each for each in given if _reaches_layers(each)]
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
                _remember(tensor, sources, call)


def _legacy_call(tensor: Any) -> Any:
    """Of a tensor that a layer of tf.layers made, this layer, and the inputs and outputs."""
    layer = getattr(tensor, "_legacy_layer", None)
    for inputs, outputs in layer._self_calls if layer is not None else ():
        if any(each is tensor for each in nest.flatten(outputs)):
            return layer, inputs, outputs
    return None


def _remember(tensor: Any, sources: list[Any], call: Any) -> None:
    """Makes a layer of a tensor's operation, or a node of the layer of tf.layers it comes of."""
    from dataflow.keras.engine.op_layer import TensorFlowOpLayer

    if call is None:
        TensorFlowOpLayer.of(tensor.op, sources)
        return
    layer, inputs, outputs = call
    index = len(layer.inbound_nodes)
    Node(layer, inputs, outputs, {})
    for place, each in enumerate(nest.flatten(outputs)):
        each._keras_history = KerasHistory(layer, index, place)


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
