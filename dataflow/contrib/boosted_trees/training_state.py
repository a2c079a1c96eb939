"""What training a model of trees keeps over steps."""

from __future__ import annotations

from typing import Any, NamedTuple


class GBDTTrainingState(NamedTuple):
    """Variables, accumulators and the handlers of features."""

    num_layer_examples: Any
    num_layer_steps: Any
    num_layers: Any
    active_tree: Any
    active_layer: Any
    continue_centering: Any
    bias_stats_accumulator: Any
    steps_accumulator: Any
    handlers: list[Any]
