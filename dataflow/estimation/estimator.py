"""Estimator: trains, evaluates and asks what a model function describes."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from dataflow.estimation.checks import checked_hooks, checked_listeners, evaluation_stop, train_stop
from dataflow.estimation.cluster_environment import TaskType
from dataflow.estimation.exporting import export_all
from dataflow.estimation.functions import argument_names, check_model_fn
from dataflow.estimation.input_results import call_input_fn, may_end, parse_input_fn_result
from dataflow.estimation.metric_values import evaluation_ops
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.predictions import chosen_predictions, single_examples
from dataflow.estimation.run_config import RunConfig, with_model_dir
from dataflow.estimation.summaries import write_checkpoint_path, write_results
from dataflow.estimation.training_steps import summarize_loss, train_model
from dataflow.estimation.warm_starting import settings_of
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.random_seed import set_random_seed
from dataflow.graph.tracebacks import shortened
from dataflow.saving.reading import list_variables, load_variable
from dataflow.saving.state import latest_checkpoint
from dataflow.saving.warm_start import warm_start
from dataflow.training.device_setter import replica_device_setter
from dataflow.training.evaluation import evaluate_once
from dataflow.training.global_step import create_global_step, get_global_step
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.session_creators import ChiefSessionCreator
from dataflow.values import logging


class Estimator:
    """Trains, evaluates, asks and exports a model; each call builds its graph anew.

    >>> def model_fn(features, labels, mode):
    ...     w = tf.get_variable("w", initializer=0.0)
    ...     loss = tf.reduce_mean((w * features["x"] - labels) ** 2)
    ...     step = tf.train.get_global_step()
    ...     train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
    ...     return tf.estimator.EstimatorSpec(mode, {"y": w * features["x"]}, loss, train)
    >>> def input_fn():
    ...     return tf.data.Dataset.from_tensors(({"x": 1.0}, 3.0)).repeat()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trained = tf.estimator.Estimator(model_fn, folder).train(input_fn, steps=2)
    ...     print(trained.get_variable_value("w"))
    3.0
    """

    _overridable: ClassVar[frozenset[str]] = frozenset(
        ["model_fn", "_create_and_assert_global_step", "latest_checkpoint", "_overridable"]
    )

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Any = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          model_fn: Takes `features`, and what it wants of `labels`, `mode`, `params` and
            `config`; gives an EstimatorSpec.
          model_dir: Folder of checkpoints and summaries: that of `config`, or else a new one that
            is not kept, if None.
          config: How to run.
          params: Hyperparameters for `model_fn`.
          warm_start_from: A checkpoint, its folder or WarmStartSettings: what variables begin with.

        Raises:
          ValueError: The model function's arguments are wrong, the configuration has another
            folder, or a subclass overrides members.
        """
        Estimator._assert_members_are_not_overridden(self)
        self._config = with_model_dir(config, model_dir)
        logging.info("Using config: %s", str(vars(self._config)))
        self._model_dir: Any = self._config.model_dir
        self._session_config = self._config.session_config
        self._device_fn = self._config.device_fn or _get_replica_device_setter(self._config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        self._check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = settings_of(warm_start_from)

    @property
    def model_dir(self) -> Any:
        """Folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the hyperparameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The model function, with `params` and `config` given."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the newest checkpoint.

        Raises:
          ValueError: There is none.
        """
        return load_variable(self._trained(), name)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the newest checkpoint.

        Raises:
          ValueError: There is none.
        """
        return [name for name, _ in list_variables(self._trained())]

    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint; None if there is none."""
        return latest_checkpoint(self._model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the summaries of evaluations of a name."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    @shortened
    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Any:
        """Trains the model, from the newest checkpoint on.

        Args:
          input_fn: Gives features, a pair of features and labels, or a dataset of such.
          hooks: Are called in the loop.
          steps: How many steps; until the input ends if neither is given.
          max_steps: At which global step to end.
          saving_listeners: Are called when a checkpoint is saved.

        Returns:
          The estimator.

        Raises:
          ValueError: Both numbers of steps are given, or one is not positive, or this task is not
            to train.
        """
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                "Train has been called wrong configuration. Please use "
                "tf.estimator.train_and_evaluate which calls proper API according to given "
                f"configuration. Current configuration: {self._config}."
            )
        all_hooks = checked_hooks(hooks)
        stop = train_stop(steps, max_steps)
        listeners = checked_listeners(saving_listeners)
        if max_steps is not None and max_steps <= self._saved_step():
            logging.info("Skipping training since max_steps has already saved.")
            return self
        if stop is not None:
            all_hooks.append(stop)
        loss = self._train(input_fn, all_hooks, listeners)
        logging.info("Loss for final step: %s.", loss)
        return self

    @shortened
    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates the model; the results go into summaries, too.

        Args:
          input_fn: As for `train`.
          steps: How many steps; until the input ends if None.
          hooks: Are called in the loop.
          checkpoint_path: A checkpoint; the newest if None, and without one the model is
            initialised.
          name: Ends the name of the folder of summaries.

        Returns:
          The metrics by name, with "loss" and "global_step".

        Raises:
          ValueError: `steps` is not positive.
        """
        all_hooks = checked_hooks(hooks)
        stop = evaluation_stop(steps)
        if stop is not None:
            all_hooks.append(stop)
        checkpoint_path = checkpoint_path or self._found_checkpoint("evaluate")
        with Graph().as_default():
            scaffold, update, values, hooks_of_graph = self._build_evaluation(
                input_fn, all_hooks, checkpoint_path
            )
            return self._run_evaluation(
                checkpoint_path, scaffold, update, values, hooks_of_graph, self.eval_dir(name)
            )

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Gives predictions for features, one after the other.

        Args:
          input_fn: As for `train`; labels are left.
          predict_keys: Which predictions, of a dictionary; all if None.
          hooks: Are called in the loop.
          checkpoint_path: A checkpoint; the newest if None, and without one the model is
            initialised.
          yield_single_examples: Whether batches are taken apart.

        Yields:
          Predictions.

        Raises:
          ValueError: There is none of those names, or their batches differ in length.
        """
        all_hooks = checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._found_checkpoint("predict")
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            self._create_and_assert_global_step(graph)
            given = self._call_input_fn(input_fn, ModeKeys.PREDICT)
            features, _, input_hooks = parse_input_fn_result(given)
            if not may_end(features, graph):
                logging.warning(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means "
                    "predict yields forever. This is probably a mistake."
                )
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._warm_start_unless(checkpoint_path)
            predictions = chosen_predictions(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path,
                master=self._config.master,
                scaffold=spec.scaffold,
                config=self._session_config,
            )
            with MonitoredSession(
                creator, hooks=[*input_hooks, *all_hooks, *spec.prediction_hooks]
            ) as session:
                while not session.should_stop():
                    values = session.run(predictions)
                    if yield_single_examples:
                        yield from single_examples(values)
                    else:
                        yield values

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> Any:
        """Writes a SavedModel into a new folder named by the time.

        Args:
          export_dir_base: The folder it is put into.
          serving_input_receiver_fn: Gives a ServingInputReceiver, or what the mode needs.
          assets_extra: By path below `assets.extra` the files to copy there.
          as_text: Whether as text.
          checkpoint_path: A checkpoint; the newest if None.
          experimental_mode: The mode of the graph.

        Returns:
          The path of the folder, as bytes.

        Raises:
          ValueError: There is no checkpoint, or it lacks variables.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        return export_all(
            self,
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs=True,
        )

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> Any:
        """As `export_saved_model`, by its older name."""
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        return export_all(
            self,
            export_dir_base,
            {ModeKeys.PREDICT: serving_input_receiver_fn},
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: Any,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> Any:
        """As `export_saved_model`, with a graph for each mode of a dictionary."""
        return export_all(
            self,
            export_dir_base,
            input_receiver_fn_map,
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs=True,
        )

    def _create_global_step(self, graph: Graph) -> Any:
        return create_global_step(graph)

    def _create_and_assert_global_step(self, graph: Graph) -> Any:
        step = self._create_global_step(graph)
        assert step is get_global_step(graph)
        assert step.dtype.is_integer
        return step

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str) -> Any:
        strategy = self._strategy_of(mode)
        context = strategy._input_context() if strategy else None
        return call_input_fn(input_fn, mode, self._params_of(mode), self.config, context)

    def _strategy_of(self, mode: str) -> Any:
        """The distribution strategy of a mode, or None."""
        if mode == ModeKeys.TRAIN:
            return self.config.train_distribute
        return self.config.eval_distribute if mode == ModeKeys.EVAL else None

    def _params_of(self, mode: str) -> Any:
        """What functions are given as `params` in a mode."""
        return self.params

    def _check_model_fn(self, model_fn: Callable[..., Any], params: Any) -> None:
        check_model_fn(model_fn, params)

    def _summarize_loss(self, loss: Any) -> None:
        summarize_loss(loss)

    def _evaluation_ops(self, spec: EstimatorSpec) -> tuple[Any, dict[str, Any]]:
        return evaluation_ops(spec)

    def _as_spec(self, given: Any) -> Any:
        """The EstimatorSpec of what the model function gave."""
        return given

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        names = argument_names(self._model_fn)
        given: dict[str, Any] = {"mode": mode, "params": self._params_of(mode), "config": config}
        given = {name: value for name, value in given.items() if name in names}
        if "labels" in names:
            given["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        logging.info("Calling model_fn.")
        strategy = self._strategy_of(mode)
        if strategy is None:
            made = self._model_fn(features=features, **given)
        else:
            with strategy.scope():
                made = strategy.run(lambda: self._model_fn(features=features, **given))
        spec = self._as_spec(made)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _train(
        self, input_fn: Callable[..., Any], hooks: list[SessionRunHook], listeners: Sequence[Any]
    ) -> Any:
        with Graph().as_default() as graph, scopes.device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            if self._create_and_assert_global_step(graph) is not None:
                global_step_read("Estimator")
            given = self._call_input_fn(input_fn, ModeKeys.TRAIN)
            features, labels, input_hooks = parse_input_fn_result(given)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            self._warm_start_unless(None)
            self._summarize_loss(spec.loss)
            step = get_global_step(graph)
            return train_model(spec, self._config, input_hooks, hooks, step, listeners)

    def _build_evaluation(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[SessionRunHook],
        checkpoint_path: str | None,
    ) -> tuple[Any, Any, dict[str, Any], list[SessionRunHook]]:
        """Builds the graph; the scaffold, updates, values and all hooks."""
        graph = scopes.get_default_graph()
        set_random_seed(self._config.tf_random_seed)
        self._create_and_assert_global_step(graph)
        given = self._call_input_fn(input_fn, ModeKeys.EVAL)
        features, labels, input_hooks = parse_input_fn_result(given)
        spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self.config)
        self._warm_start_unless(checkpoint_path)
        update, values = self._evaluation_ops(spec)
        return spec.scaffold, update, values, [*input_hooks, *hooks, *spec.evaluation_hooks]

    def _run_evaluation(
        self,
        checkpoint_path: str | None,
        scaffold: Any,
        update: Any,
        values: dict[str, Any],
        hooks: Sequence[SessionRunHook],
        folder: str,
    ) -> dict[str, Any]:
        results: dict[str, Any] = evaluate_once(
            checkpoint_path,
            master=self._config.evaluation_master,
            scaffold=scaffold,
            eval_ops=update,
            final_ops=values,
            hooks=hooks,
            config=self._session_config,
        )
        step = results[GraphKeys.GLOBAL_STEP]
        write_results(folder, results, step)
        if checkpoint_path:
            write_checkpoint_path(folder, checkpoint_path, step)
        return results

    def _warm_start_unless(self, checkpoint_path: str | None) -> None:
        if not checkpoint_path and self._warm_start_settings:
            logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
            warm_start(*self._warm_start_settings)

    def _saved_step(self) -> int:
        found = self.latest_checkpoint()
        return int(load_variable(found, GraphKeys.GLOBAL_STEP)) if found else 0

    def _found_checkpoint(self, purpose: str) -> str | None:
        found = latest_checkpoint(self._model_dir)
        if not found:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.",
                self._model_dir,
                purpose,
            )
        return found

    # Programs whose estimators override public members put another function in its place.
    def _assert_members_are_not_overridden(self) -> None:
        cls = type(self)
        if cls is Estimator:
            return
        overridden = [
            name
            for name in cls.__dict__
            if name in Estimator.__dict__
            and not name.startswith("__")
            and name not in self._overridable
        ]
        if overridden:
            raise ValueError(
                "Subclasses of Estimator cannot override members of Estimator. "
                f"{cls} does override {overridden}"
            )

    def _trained(self) -> Any:
        if not latest_checkpoint(self._model_dir):
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        return self._model_dir


def _get_replica_device_setter(config: RunConfig) -> Any:
    """Variables on parameter servers, the rest on the task's own worker; None without them."""
    if config.num_ps_replicas <= 0:
        return None
    worker = f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker"
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=worker,
        merge_devices=True,
        cluster=config.cluster_spec,
    )
