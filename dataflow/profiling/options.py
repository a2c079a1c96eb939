"""What a profile shows: a dict of options, and who builds it step by step."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from dataflow.profiling.op_log import TRAINABLE_VARIABLES

Options = dict[str, Any]

_LEAST = (
    "min_bytes",
    "min_micros",
    "min_params",
    "min_float_ops",
    "min_occurrence",
)


def _options(
    order_by: str, select: Sequence[str], types: str = ".*", depth: int = 10_000, shown: bool = True
) -> Options:
    return {
        "max_depth": depth,
        **dict.fromkeys(_LEAST, 0),
        "order_by": order_by,
        "account_type_regexes": [types],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": shown,
        "select": list(select),
        "step": -1,
        "output": "stdout",
    }


class ProfileOptionBuilder:
    """Builds the options of a profile; its static methods are sets of options for usual questions.

    ```python
    options = (
        tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.time_and_memory())
        .with_node_names(show_name_regexes=[".*rnn.*"])
        .with_file_output("profile.txt")
        .build()
    )
    ```
    """

    def __init__(self, options: Options | None = None) -> None:
        """Starts from these options, or from those that show every node's time."""
        self._options = copy.deepcopy(
            options or _options("name", ["micros"], depth=100, shown=False)
        )

    @staticmethod
    def trainable_variables_parameter() -> Options:
        """How many numbers the trainable variables hold; for the view by scopes."""
        return _options("name", ["params"], types=TRAINABLE_VARIABLES)

    @staticmethod
    def float_operation() -> Options:
        """How many operations on numbers nodes take, where their shapes tell."""
        return {**_options("float_ops", ["float_ops"]), "min_float_ops": 1}

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Options:
        """Time and memory of traced steps.

        Args:
          min_micros: Nodes that took less time are not shown.
          min_bytes: Those that asked for fewer bytes.
          min_accelerator_micros: Those that took less time of a GPU.
          min_cpu_micros: Those that took less time of a CPU.
          min_peak_bytes: Those that held fewer bytes at a time.
          min_residual_bytes: Those that held fewer bytes after they had run.
          min_output_bytes: Those whose results have fewer bytes.
        """
        return {
            **_options("micros", ["micros", "bytes"]),
            "min_micros": min_micros,
            "min_bytes": min_bytes,
            "min_accelerator_micros": min_accelerator_micros,
            "min_cpu_micros": min_cpu_micros,
            "min_peak_bytes": min_peak_bytes,
            "min_residual_bytes": min_residual_bytes,
            "min_output_bytes": min_output_bytes,
        }

    def build(self) -> Options:
        """The options so far."""
        return copy.deepcopy(self._options)

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """How deep the tree is shown: in scopes, or in kinds of ops for the view by op."""
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Shows nodes that take this much memory only; see `time_and_memory`."""
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that take this much time only; see `time_and_memory`."""
        return self._set(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows nodes that hold this many numbers only."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows what stands for this many nodes only."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes that take this many operations on numbers only."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts nodes with a type that is matched as a whole: op type, device, or of an op log."""
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Chooses nodes by names; expressions match names as a whole.

        Args:
          start_name_regexes: Where to start.
          show_name_regexes: What to show, below that.
          hide_name_regexes: What of it not to show.
          trim_name_regexes: What is below these is not looked at.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{k: copy.copy(v) for k, v in given.items() if v is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Whether sums are of what is shown only, not of all that is counted."""
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints and writes nothing."""
        return self._set(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes what would be printed to a file."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes traced steps for Perfetto and chrome://tracing."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Asks for a file for pprof, which `profile` refuses: it is not implemented here."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """By what children of a node are ordered: name, micros, bytes, params, float_ops ..."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """What is told of each node: micros, bytes, params, float_ops, occurrence, device ..."""
        return self._set(select=copy.copy(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """The step of `Profiler.add_step`; -1 for the average of all."""
        return self._set(step=step)

    def _set(self, **values: Any) -> ProfileOptionBuilder:
        self._options.update(values)
        return self
