"""The table of a model's layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras.engine.node import history_of
from dataflow.keras.progress import show as show_line
from dataflow.values import nest


def count_params(weights: Any) -> int:
    """The number of elements of variables, each counted once."""
    return int(sum(np.prod(each.shape.as_list()) for each in {id(w): w for w in weights}.values()))


def print_summary(
    model: Any, line_length: int | None = None, positions: Any = None, print_fn: Any = None
) -> None:
    """Prints the layers of a model: their names, output shapes, parameters and what is before them.

    Args:
      model: The model.
      line_length: Length of the lines.
      positions: Where the columns end, as shares of it.
      print_fn: Called with each line, instead of `print`.
    """
    show = print_fn or show_line
    nodes = model._ordered_nodes
    plain = type(model).__name__ == "Sequential" or not model._is_graph_network or _is_row(nodes)
    line_length = line_length or (65 if plain else 98)
    positions = list(positions or ([0.45, 0.85, 1.0] if plain else [0.33, 0.55, 0.67, 1.0]))
    if positions[-1] <= 1:
        positions = [int(line_length * share) for share in positions]
    titles = ["Layer (type)", "Output Shape", "Param #"]
    if not plain:
        titles.append("Connected to")

    def row(fields: list[Any]) -> None:
        line = ""
        for field, end in zip(fields, positions, strict=False):
            # A column ends with a blank, in the place of its last letter.
            line = (f"{line[:-1]} {field}" if line else str(field))[:end].ljust(end)
        show(line)

    show(f'Model: "{model.name}"')
    show("_" * line_length)
    row(titles)
    show("=" * line_length)
    for index, layer in enumerate(model.layers):
        try:
            # What was called only inside of a model of the program's own has no one shape.
            is_told = model._is_graph_network or getattr(layer, "_inbound_nodes", True)
            shape = layer.output_shape if is_told else "multiple"
        except AttributeError:
            shape = "multiple"
        params = layer.count_params() if layer.built else 0
        fields = [f"{layer.name} ({type(layer).__name__})", shape, params]
        if plain:
            row(fields)
        else:
            before = _before(layer, nodes)
            row([*fields, before[0] if before else ""])
            for each in before[1:]:
                row(["", "", "", each])
        show(("=" if index == len(model.layers) - 1 else "_") * line_length)
    trained = count_params(getattr(model, "_collected_trainable_weights", model.trainable_weights))
    others = count_params(model.non_trainable_weights)
    show(f"Total params: {trained + others:,}")
    show(f"Trainable params: {trained:,}")
    show(f"Non-trainable params: {others:,}")
    show("_" * line_length)


def _is_row(nodes: list[Any]) -> bool:
    """Whether each layer is called once, on one tensor."""
    layers = [id(node.outbound_layer) for node in nodes]
    return len(set(layers)) == len(layers) and all(len(node.sources()) <= 1 for node in nodes)


def _before(layer: Any, nodes: list[Any]) -> list[str]:
    found = []
    for node in nodes:
        if node.outbound_layer is layer and node.input_tensors is not node.output_tensors:
            for tensor in nest.flatten(node.input_tensors):
                layer_before, at, place = history_of(tensor)
                found.append(f"{layer_before.name}[{at}][{place}]")
    return found
