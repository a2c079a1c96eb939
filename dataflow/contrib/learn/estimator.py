"""tf.contrib.learn.Estimator: fit, evaluate and predict with arrays or input functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.alternatives import chosen
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.interfaces import Evaluable, Trainable, WithParameters
from dataflow.contrib.learn.model_fn import MetricSpec, ModelFnOps
from dataflow.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from dataflow.estimation.array_inputs import numpy_input_fn
from dataflow.estimation.estimator import Estimator as PlainEstimator
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys


class Estimator(PlainEstimator, WithParameters, Evaluable, Trainable):
    """`tf.estimator.Estimator`, with its older methods."""

    _overridable: ClassVar[frozenset[str]] = PlainEstimator._overridable | {
        "evaluate",
        "export_savedmodel",
        "predict",
        "_as_spec",
        "_call_model_fn",
    }

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        """Makes an estimator.

        Args:
          model_fn: Takes `features`, `labels`, and what it wants of `mode`, `params` and `config`;
            gives `(predictions, loss, train_op)`, ModelFnOps or an EstimatorSpec.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          params: Hyperparameters for `model_fn`.
          feature_engineering_fn: Features and labels for features and labels.
        """
        super().__init__(model_fn, model_dir, config, params)
        self._feature_engineering_fn = feature_engineering_fn
        self._metrics: Any = None
        self._alternatives: Any = None
        self._exports = False
        self._default_output: str | None = None

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains.

        Args:
          x: An array of features.
          y: An array of labels.
          input_fn: Gives the input, rather than arrays.
          steps: How many steps.
          batch_size: How many rows of the arrays a batch has; all if None.
          monitors: Monitors and hooks, which are called in the loop.
          max_steps: At which global step to end.
        """
        inputs = _inputs(x, y, input_fn, batch_size, endless=True)
        hooks = replace_monitors_with_hooks(monitors, self)
        return self.train(inputs, hooks=hooks, steps=steps, max_steps=max_steps)

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> Any:
        """As `fit`, by default for a step."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(  # type: ignore[override]
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[str, MetricSpec] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[Any] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates, with further metrics.

        Args:
          x: See `fit`.
          y: See `fit`.
          input_fn: See `fit`.
          feed_fn: Not offered: None.
          batch_size: See `fit`.
          steps: How many steps; until the input ends if None.
          metrics: By name those that are added.
          name: Ends the name of the folder of summaries.
          checkpoint_path: A checkpoint; the newest if None.
          hooks: Are called in the loop.
          log_progress: Not used.
        """
        if feed_fn is not None:
            raise ValueError("feed_fn is not offered: give the input by input_fn.")
        self._metrics = metrics
        try:
            inputs = _inputs(x, y, input_fn, batch_size, endless=False)
            return super().evaluate(inputs, steps, hooks, checkpoint_path, name)
        finally:
            self._metrics = None

    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Gives predictions, one after the other or as an array.

        Args:
          x: An array of features.
          input_fn: Gives the input, rather than an array.
          batch_size: See `fit`.
          outputs: Which predictions, of a dictionary.
          as_iterable: Whether one after the other.
          iterate_batches: Whether batch after batch.
        """
        inputs = _inputs(x, None, input_fn, batch_size, endless=False)
        found = super().predict(inputs, outputs, yield_single_examples=not iterate_batches)
        if as_iterable:
            return found
        rows = list(found)
        if rows and isinstance(rows[0], dict):
            return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        return np.stack(rows)

    def export_savedmodel(  # type: ignore[override]
        self,
        export_dir_base: Any,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Any = None,
        strip_default_attrs: bool = False,
    ) -> Any:
        """Writes a SavedModel for serving; see `tf.estimator.Estimator.export_savedmodel`.

        Args:
          export_dir_base: The folder in which a folder is made.
          serving_input_fn: Gives the inputs of the exported model.
          default_output_alternative_key: Which of several heads a request gets that names none.
          assets_extra: By path below `assets.extra` the files to copy there.
          as_text: Whether as text.
          checkpoint_path: A checkpoint; the newest if None.
          graph_rewrite_specs: Not offered: None.
          strip_default_attrs: Whether attrs that have their default are left out.

        Raises:
          NotImplementedError: The graph is to be rewritten.
        """
        if graph_rewrite_specs is not None:
            raise NotImplementedError(
                "graph_rewrite_specs is not offered: rewrite the exported graph by "
                "`python -m dataflow transform`."
            )
        self._exports, self._default_output = True, default_output_alternative_key
        try:
            return super().export_savedmodel(
                export_dir_base,
                serving_input_fn,
                assets_extra=assets_extra,
                as_text=as_text,
                checkpoint_path=checkpoint_path,
                strip_default_attrs=strip_default_attrs,
            )
        finally:
            self._exports, self._default_output = False, None

    def predicted(self, features: Any, output_alternative_key: str | None = None) -> dict[str, Any]:
        """Tensors of predictions by name, in the default graph.

        Args:
          features: What the model function is given.
          output_alternative_key: Of which head; not needed if there is one.

        Raises:
          ValueError: There is no such head.
        """
        self._alternatives = None
        spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
        if self._alternatives:
            return dict(self._alternatives[chosen(self._alternatives, output_alternative_key)][1])
        found = spec.predictions
        return dict(found) if isinstance(found, dict) else {PredictionKey.GENERIC: found}

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        self._mode = mode
        spec = super()._call_model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL or not self._metrics:
            return spec
        metrics = dict(spec.eval_metric_ops)
        for name, metric in self._metrics.items():
            metrics[name] = metric.create_metric_ops(features, labels, spec.predictions)
        return spec._replace(eval_metric_ops=metrics)

    def _as_spec(self, given: Any) -> Any:
        if isinstance(given, ModelFnOps):
            self._alternatives = given.output_alternatives
            if not self._exports:
                # Names of several heads' predictions are no strings, which exported ones must be.
                several = len(given.output_alternatives or ()) > 1
                nothing: Any = {None: (ProblemType.UNSPECIFIED, {})}
                given = given._replace(output_alternatives=nothing if several else None)
            return given.estimator_spec(self._default_output)
        if isinstance(given, tuple) and not isinstance(given, EstimatorSpec) and len(given) == 3:
            predictions, loss, train_op = given
            return EstimatorSpec(self._mode, predictions, loss, train_op)
        return given


def _inputs(x: Any, y: Any, input_fn: Any, batch_size: int | None, endless: bool) -> Any:
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError("Can not provide both input_fn and either of x and y.")
        if batch_size is not None:
            raise ValueError("Can not provide both input_fn and batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    x = x if isinstance(x, dict) else np.asarray(x)
    rows = len(next(iter(x.values())) if isinstance(x, dict) else x)
    return numpy_input_fn(
        x,
        None if y is None else np.asarray(y),
        batch_size=batch_size or rows,
        num_epochs=None if endless else 1,
        shuffle=endless,
    )
