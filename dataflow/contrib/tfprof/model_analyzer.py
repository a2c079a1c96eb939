"""tf.contrib.tfprof.model_analyzer: what a graph costs, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dataflow.contrib.tfprof.profile_context import ProfileContext as ProfileContext
from dataflow.profiling.options import Options, ProfileOptionBuilder
from dataflow.profiling.profiler import Profiler as Profiler
from dataflow.profiling.profiler import profile

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph

TRAINABLE_VARS_PARAMS_STAT_OPTIONS: Final = ProfileOptionBuilder.trainable_variables_parameter()
"""How many numbers the trainable variables hold."""
FLOAT_OPS_OPTIONS: Final = ProfileOptionBuilder.float_operation()
"""How many operations on floats a step does, as far as shapes tell."""
PRINT_ALL_TIMING_MEMORY: Final = ProfileOptionBuilder.time_and_memory()
"""How long the nodes of a traced step took, and how many bytes they asked for."""


def print_model_analysis(
    graph: Graph | None,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Options | int = 0,
) -> Any:
    """`tf.profiler.profile`, whose last two arguments had other names."""
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
