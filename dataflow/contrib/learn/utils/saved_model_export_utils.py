"""Strategies by which experiments export models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dataflow.contrib.layers.feature_columns import create_feature_spec_for_parsing
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.utils.input_fn_utils import build_parsing_serving_input_fn
from dataflow.contrib.learn.utils.kept_exports import garbage_collect_exports
from dataflow.estimation.functions import argument_names


class ExportStrategy(NamedTuple):
    """A function that exports an estimator's model into a folder, and the folder's name."""

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: Any = None

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: str | None = None,
        eval_result: Any = None,
    ) -> Any:
        """Calls the function with what it wants of the arguments.

        Raises:
          ValueError: It wants the results of an evaluation, but no checkpoint.
        """
        names = argument_names(self.export_fn)
        if "eval_result" in names and "checkpoint_path" not in names:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        wanted = {name: value for name, value in given.items() if name in names}
        return self.export_fn(estimator, export_path, **wanted)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """A strategy that writes SavedModels.

    Args:
      serving_input_fn: Gives the inputs of the exported model.
      default_output_alternative_key: Which of several heads a request gets that names none; only
        for estimators of tf.contrib.learn.
      assets_extra: By path below `assets.extra` the files to copy there.
      as_text: Whether as text.
      exports_to_keep: How many of the newest stay; all if None.
      strip_default_attrs: Whether attrs that have their default are left out.

    Raises:
      ValueError: When it exports: one of tf.estimator's estimators is to have a default head.
    """

    def export_fn(
        estimator: Any,
        export_dir_base: Any,
        checkpoint_path: str | None = None,
        strip_default_attrs: Any = False,
    ) -> Any:
        head: dict[str, Any] = {}
        if isinstance(estimator, Estimator):
            head = {"default_output_alternative_key": default_output_alternative_key}
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. Given: "
                f"{default_output_alternative_key}"
            )
        found = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            **head,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=bool(strip_default_attrs),
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return found

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """As `make_export_strategy`, of a model that takes serialized examples with some columns."""
    spec = create_feature_spec_for_parsing(feature_columns)
    return make_export_strategy(
        build_parsing_serving_input_fn(spec),
        default_output_alternative_key,
        assets_extra,
        as_text,
        exports_to_keep,
        strip_default_attrs,
    )
