"""Exports of estimators as functions of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.estimation.estimator import Estimator


def export_saved_model_for_mode(
    estimator: Estimator,
    export_dir_base: Any,
    input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, Any] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: Any = "infer",
) -> Any:
    """The export of one mode, see `export_all_saved_models`.

    Args:
      estimator: The estimator.
      export_dir_base: Folder of exports.
      input_receiver_fn: Makes what the mode's graph is given.
      assets_extra: See there, as for what follows.
      as_text: See there.
      checkpoint_path: See there.
      mode: One of `tf.estimator.ModeKeys`.
    """
    return export_all_saved_models(
        estimator,
        export_dir_base,
        {mode: input_receiver_fn},
        assets_extra,
        as_text,
        checkpoint_path,
    )


def export_all_saved_models(
    estimator: Estimator,
    export_dir_base: Any,
    input_receiver_fn_map: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, Any] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> Any:
    """A SavedModel with a graph for each mode of a dictionary.

    Args:
      estimator: The estimator.
      export_dir_base: Folder of exports, each of which is in a folder of its own.
      input_receiver_fn_map: What makes what a mode's graph is given, by mode.
      assets_extra: Files that are copied, by path below "assets.extra".
      as_text: Whether the graph is written as text.
      checkpoint_path: Variables; the newest checkpoint's if None.

    Returns:
      The folder of the export.

    Raises:
      ValueError: There is no checkpoint, or no mode.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
    )
