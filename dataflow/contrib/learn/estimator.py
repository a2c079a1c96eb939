"""tf.contrib.learn.Estimator: fit, evaluate and predict with arrays or input functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.alternatives import chosen
from dataflow.contrib.learn.bundle_exports import ExportsBundles
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.interfaces import (
    Evaluable,
    NotFittedError,
    Trainable,
    WithParameters,
)
from dataflow.contrib.learn.model_fn import ModelFnOps, metric_ops
from dataflow.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from dataflow.estimation.array_inputs import numpy_input_fn
from dataflow.estimation.estimator import Estimator as PlainEstimator
from dataflow.estimation.functions import argument_names
from dataflow.estimation.input_results import parse_input_fn_result
from dataflow.estimation.metric_values import LOSS, evaluation_ops
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.predictions import single_examples
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.random_seed import set_random_seed
from dataflow.graph.tensor import Tensor
from dataflow.training.hooks.feeding import FeedFnHook
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.session_creators import ChiefSessionCreator


class Estimator(PlainEstimator, ExportsBundles, WithParameters, Evaluable, Trainable):
    """`tf.estimator.Estimator`, with its older methods."""

    _overridable: ClassVar[frozenset[str]] = PlainEstimator._overridable | {
        "evaluate",
        "export_savedmodel",
        "predict",
        "_as_spec",
        "_default_signature_fn",
        "_read_examples",
        "_call_model_fn",
        "_check_model_fn",
        "_evaluation_ops",
        "_summarize_loss",
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
        self._loss_metric: Any = None
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
        metrics: Any = None,
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
          feed_fn: Gives what each step is fed, if the input is given by `input_fn`.
          batch_size: See `fit`.
          steps: How many steps; until the input ends if None.
          metrics: Those that are added: by name a MetricSpec, by name and key of the predictions a
            function of predictions and labels.
          name: Ends the name of the folder of summaries.
          checkpoint_path: A checkpoint; the newest if None.
          hooks: Are called in the loop.
          log_progress: Not used.

        Raises:
          NotFittedError: There is no checkpoint.
          ValueError: Both kinds of input are given, or none, or the metrics are no dictionary.
        """
        inputs = _inputs(x, y, input_fn, batch_size, endless=False, feed_fn=feed_fn)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        if not checkpoint_path:
            checkpoint_path = self._fitted()
        self._metrics = metrics
        try:
            given = [*(hooks or ()), *([FeedFnHook(feed_fn)] if feed_fn is not None else ())]
            return super().evaluate(inputs, steps or None, given, checkpoint_path, name)
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

        Returns:
          An iterator, which ends after a batch if the input has no queues; without `as_iterable`
          the predictions of a batch, or of the whole array.

        Raises:
          NotFittedError: There is no checkpoint.
          ValueError: Both kinds of input are given, or none, or none of these outputs is there.
        """
        inputs = _inputs(x, None, input_fn, batch_size, endless=False)
        session, predictions, once = self._prediction_session(inputs, outputs)
        if as_iterable:
            return _predicted(session, predictions, once, iterate_batches)
        if x is None:
            with session:
                return session.run(predictions)
        return joined(list(_predicted(session, predictions, once, iterate_batches=True)))

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

    def _check_model_fn(self, model_fn: Callable[..., Any], params: Any) -> None:
        if params is not None and "params" not in argument_names(model_fn):
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )

    def _evaluation_ops(self, spec: EstimatorSpec) -> tuple[Any, dict[str, Any]]:
        return evaluation_ops(spec, self._loss_metric)

    def _summarize_loss(self, loss: Any) -> None:
        """Heads make one themselves."""

    def _fitted(self) -> str:
        found = self.latest_checkpoint()
        if not found:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return found

    def _prediction_session(self, input_fn: Callable[..., Any], outputs: Any) -> Any:
        """An open session, the predictions, and whether they are the same in every step."""
        checkpoint_path = self._fitted()
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            self._create_and_assert_global_step(graph)
            given = self._call_input_fn(input_fn, ModeKeys.PREDICT)
            features, _, input_hooks = parse_input_fn_result(given)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            predictions = _chosen(spec.predictions, outputs)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path,
                scaffold=spec.scaffold,
                config=self._session_config,
            )
            once = not graph.get_collection(GraphKeys.QUEUE_RUNNERS)
            return MonitoredSession(creator, hooks=input_hooks), predictions, once

    def _predictions(self, features: Any) -> Any:
        return self._call_model_fn(features, None, ModeKeys.PREDICT, self.config).predictions

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        if mode != ModeKeys.PREDICT:
            self._check_inputs(features, labels)
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        self._mode = mode
        given = {
            "mode": mode,
            "params": self._params_of(mode),
            "config": config,
            "model_dir": self._model_dir,
        }
        names = argument_names(self._model_fn)
        made = self._model_fn(features, labels, **{n: v for n, v in given.items() if n in names})
        spec = self._as_spec(made)
        if mode != ModeKeys.EVAL or not self._metrics:
            return spec
        added = metric_ops(self._metrics, features, labels, spec.predictions)
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **added})

    def _as_spec(self, given: Any) -> Any:
        if isinstance(given, ModelFnOps):
            self._alternatives = given.output_alternatives
            self._loss_metric = given.eval_metric_ops.get(LOSS)
            if not self._exports:
                # Names of several heads' predictions are no strings, which exported ones must be.
                several = len(given.output_alternatives or ()) > 1
                nothing: Any = {None: (ProblemType.UNSPECIFIED, {})}
                given = given._replace(output_alternatives=nothing if several else None)
            return given.estimator_spec(self._default_output)
        if isinstance(given, EstimatorSpec):
            return given
        if len(given) != 3:
            raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
        predictions, loss, train_op = given
        return ModelFnOps(self._mode, predictions, loss, train_op).estimator_spec()


def _predicted(session: Any, predictions: Any, once: bool, iterate_batches: bool) -> Any:
    with session:
        while not session.should_stop():
            values = session.run(predictions)
            if iterate_batches:
                yield values
            else:
                yield from single_examples(values)
            if once:
                return


def joined(batches: Sequence[Any]) -> Any:
    """The rows of batches as an array, or as arrays by name."""
    if not isinstance(batches[0], dict):
        return np.concatenate(batches)
    return {key: np.concatenate([each[key] for each in batches]) for key in batches[0]}


def _chosen(predictions: Any, outputs: Any) -> Any:
    if not outputs:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("outputs argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in outputs}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {predictions.keys()}, provided {outputs}."
        )
    return found


def _inputs(
    x: Any, y: Any, input_fn: Any, batch_size: int | None, endless: bool, feed_fn: Any = None
) -> Any:
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError("Can not provide both input_fn and x or y.")
        if batch_size is not None:
            raise ValueError("Can not provide both input_fn and batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
    if feed_fn is not None:
        raise ValueError("Can not provide both feed_fn and x or y.")
    return array_inputs(x, y, batch_size, endless)


def array_inputs(x: Any, y: Any, batch_size: int | None, endless: bool) -> Callable[..., Any]:
    """The input function of arrays.

    Args:
      x: An array of features, or arrays by name.
      y: An array of labels, or arrays by name, or None.
      batch_size: How many rows a batch has; all if None.
      endless: Whether rows are shuffled and begin again, as for training.
    """
    x = {key: _narrow(x[key]) for key in x} if isinstance(x, dict) else _narrow(x)
    if y is not None:
        y = {key: _narrow(y[key]) for key in y} if isinstance(y, dict) else _narrow(y)
    rows = len(next(iter(x.values())) if isinstance(x, dict) else x)
    return numpy_input_fn(
        x,
        y,
        batch_size=batch_size or rows,
        num_epochs=None if endless else 1,
        shuffle=endless,
    )


def _narrow(values: Any) -> Any:
    array = np.asarray(values)
    return array.astype(np.float32) if array.dtype == np.float64 else array
