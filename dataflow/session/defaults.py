"""What sessions that get no options of their own begin with: this process's ConfigProto."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.proto.config_pb2 import ConfigProto, OptimizerOptions
from dataflow.proto.rewriter_config_pb2 import RewriterConfig

DEFAULTS: Final = ConfigProto()
"""It is changed in place."""

_SWITCHES: Final = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
)
"""Rewrites that are on, off, or as they are by default."""
_FLAGS: Final = ("disable_model_pruning", "disable_meta_optimizer")


def get_soft_device_placement() -> bool:
    """Whether an operation may run elsewhere if its device has no kernel for it."""
    return DEFAULTS.allow_soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Lets operations run elsewhere if their device has no kernels for them, or not."""
    DEFAULTS.allow_soft_placement = bool(enabled)


def get_log_device_placement() -> bool:
    """Whether sessions write into the log where each operation runs."""
    return DEFAULTS.log_device_placement


def set_log_device_placement(enabled: bool) -> None:
    """Has sessions write into the log where each operation runs, or not."""
    DEFAULTS.log_device_placement = bool(enabled)


def get_inter_op_parallelism_threads() -> int:
    """How many operations run at once; 0 for what suits the machine."""
    return DEFAULTS.inter_op_parallelism_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many operations run at once."""
    DEFAULTS.inter_op_parallelism_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """How many threads one operation has; 0 for what suits the machine."""
    return DEFAULTS.intra_op_parallelism_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads one operation has."""
    DEFAULTS.intra_op_parallelism_threads = num_threads


def get_optimizer_jit() -> str:
    """ "autoclustering" if XLA's clusters are asked for, else an empty text."""
    level = DEFAULTS.graph_options.optimizer_options.global_jit_level
    return "autoclustering" if level == OptimizerOptions.ON_1 else ""


def set_optimizer_jit(enabled: bool | str) -> None:
    """Asks for XLA's clusters, or not; there is no XLA here, so that nothing else changes.

    Args:
      enabled: True or "autoclustering", or else False or an empty text.
    """
    DEFAULTS.graph_options.optimizer_options.global_jit_level = (
        OptimizerOptions.ON_1 if enabled in (True, "autoclustering") else OptimizerOptions.OFF
    )


def get_optimizer_experimental_options() -> dict[str, Any]:
    """What is set of how graphs are rewritten, by name."""
    rewrites = DEFAULTS.graph_options.rewrite_options
    options: dict[str, Any] = {
        name: getattr(rewrites, name) == RewriterConfig.ON
        for name in _SWITCHES
        if getattr(rewrites, name) != RewriterConfig.DEFAULT
    }
    options |= {name: getattr(rewrites, name) for name in _FLAGS}
    if rewrites.min_graph_nodes:
        options["min_graph_nodes"] = rewrites.min_graph_nodes
    return options


def set_optimizer_experimental_options(options: Mapping[str, Any]) -> None:
    """Sets how graphs are rewritten.

    Args:
      options: By name whether a rewrite is on; `disable_model_pruning`, `disable_meta_optimizer`
        and `min_graph_nodes` as in a RewriterConfig. Other names change nothing.
    """
    rewrites = DEFAULTS.graph_options.rewrite_options
    for name, value in options.items():
        if name in _SWITCHES:
            setattr(rewrites, name, RewriterConfig.ON if value else RewriterConfig.OFF)
        elif name in _FLAGS or name == "min_graph_nodes":
            setattr(rewrites, name, value)
