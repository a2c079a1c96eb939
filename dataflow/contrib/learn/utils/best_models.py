"""Strategies that export only better models, or change what another one has exported."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.learn.heads.keys import MetricKey
from dataflow.contrib.learn.utils.saved_model_export_utils import (
    ExportStrategy,
    make_export_strategy,
)
from dataflow.library.compatibility import as_str_any
from dataflow.library.files import gfile
from dataflow.records.events import summary_iterator
from dataflow.saving.state import latest_checkpoint

Results = Mapping[str, Any]
"""Metrics by name."""
Better = Callable[[Any, Any], bool]
"""Whether the second of two results is better."""


def _less_loss(best: Results | None, other: Results | None) -> bool:
    for name, results in (("curr_best_eval_result", best), ("cand_eval_result", other)):
        if not results or MetricKey.LOSS not in results:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    assert best is not None and other is not None
    return bool(best[MetricKey.LOSS] > other[MetricKey.LOSS])


class BestModelSelector:
    """Keeps the best results of evaluations, and says which checkpoint has better ones."""

    def __init__(
        self, event_file_pattern: str | None = None, compare_fn: Better | None = None
    ) -> None:
        """Begins with the best results of earlier runs.

        Args:
          event_file_pattern: Files with these results; none count if None.
          compare_fn: Whether the second of two results is better; less loss if None.

        Raises:
          ValueError: Results of one file have no loss, which is to be compared.
        """
        self._is_better = compare_fn or _less_loss
        self._best: Results | None = None
        for path in gfile.glob(event_file_pattern) if event_file_pattern else ():
            for event in summary_iterator(path):
                if event.HasField("summary"):
                    self._take(
                        {
                            value.tag: value.simple_value
                            for value in event.summary.value
                            if value.HasField("simple_value")
                        }
                    )

    def _take(self, results: Results) -> bool:
        if self._best is not None and not self._is_better(self._best, results):
            return False
        self._best = results
        return True

    def update(self, checkpoint_path: Any, eval_result: Results | None) -> tuple[Any, Any]:
        """The checkpoint and its results if they are better than all before, or "" and None.

        Raises:
          ValueError: There is no checkpoint or no result.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{checkpoint_path} has empty evaluation results.")
        return (checkpoint_path, eval_result) if self._take(eval_result) else ("", None)


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Better | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """A strategy that writes SavedModels of checkpoints with better results than those before.

    Args:
      serving_input_fn: Gives the inputs of the exported model.
      exports_to_keep: How many of the newest stay in each checkpoint's folder; all if None.
      model_dir: Where results of earlier runs lie.
      event_file_pattern: Their files below it, as "eval_continuous/*.tfevents.*".
      compare_fn: Whether the second of two results is better; less loss if None.
      default_output_alternative_key: See `make_export_strategy`.
      strip_default_attrs: See there.
    """
    strategy = make_export_strategy(
        serving_input_fn,
        exports_to_keep=exports_to_keep,
        default_output_alternative_key=default_output_alternative_key,
        strip_default_attrs=strip_default_attrs,
    )
    pattern = None
    if model_dir and event_file_pattern:
        pattern = os.path.join(model_dir, event_file_pattern)
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: Any, eval_result: Any = None
    ) -> Any:
        given = checkpoint_path or latest_checkpoint(estimator.model_dir)
        found, results = selector.update(given, eval_result)
        if not found:
            return ""
        folder = os.path.join(as_str_any(export_dir_base), os.path.basename(as_str_any(found)))
        return strategy.export(estimator, folder, found, results)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, str], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """A strategy that changes what another one exports.

    Args:
      base_export_strategy: Exports first.
      post_export_fn: Takes the path of the SavedModel and that of a folder, in which it makes
        another SavedModel; gives its path.
      post_export_name: The strategy's name; that of the other one if None.

    Raises:
      RuntimeError: When it exports: there is a folder of that name.
      ValueError: When it exports: the new SavedModel lies elsewhere.
    """

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: Any = None) -> str:
        base = as_str_any(export_dir_base)
        first = _temporary(base, "base", "Failed to obtain base export directory")
        exported = base_export_strategy.export(estimator, first, checkpoint_path)
        second = _temporary(base, "post", "Failed to obtain temp export directory")
        changed = as_str_any(post_export_fn(exported, second))
        if not changed.startswith(second):
            raise ValueError(f"post_export_fn must return a sub-directory of {second}")
        final = os.path.join(base, os.path.relpath(changed, second))
        if gfile.exists(final):
            raise RuntimeError("Failed to obtain final export directory")
        gfile.rename(changed, final)
        gfile.delete_recursively(first)
        gfile.delete_recursively(second)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)


def _temporary(base: str, kind: str, error: str) -> str:
    folder = os.path.join(base, f"temp-{kind}-export-{int(time.time())}")
    if gfile.exists(folder):
        raise RuntimeError(error)
    gfile.make_dirs(folder)
    return folder
