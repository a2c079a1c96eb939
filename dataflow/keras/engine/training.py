"""Model: a network that is trained, evaluated and asked for predictions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import metrics as metrics_module
from dataflow.keras import ops, optimizers
from dataflow.keras.engine import compiled, data, loops
from dataflow.keras.engine.network import Network
from dataflow.keras.engine.refusals import check_mode
from dataflow.keras.optimizers.loss_scaling import scaled_by_policy
from dataflow.values import nest


class Model(Network):
    """Layers between inputs and outputs, or a subclass's `call`, that can be trained.

    Args:
      *args: `inputs` and `outputs`; nothing for a subclass.
      **kwargs: The same by name, and `name`.
    """

    stop_training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stop_training = False
        self._run_eagerly: bool | None = None
        self._is_compiled = False
        self.history: Any = None
        self.optimizer: Any = None
        self.total_loss: Any = None
        self._self_endpoints: list[compiled.Endpoint] = []
        self._weight_tensors: list[Any] = []
        self._self_functions: dict[str, Any] = {}
        self._self_compiled_trainable: list[tuple[Any, bool]] = []

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        distribute: Any = None,
        **kwargs: Any,
    ) -> None:
        """Settles how the model is trained.

        Args:
          optimizer: An optimizer of tf.keras or tf.train, or a name.
          loss: A loss or its name; a list or dictionary for several outputs.
          metrics: A list of metrics or names; for several outputs also a list or dictionary.
          loss_weights: Factors of the outputs' losses.
          sample_weight_mode: "temporal" if each step of a sequence has a weight.
          weighted_metrics: Metrics to which the weights of samples apply.
          target_tensors: Tensors of what is true, if nothing is fed.
          distribute: Not supported.
          **kwargs: `fetches`, `feed_dict`, `options` and `run_metadata` for the session.

        Raises:
          ValueError: An argument does not fit the outputs.
        """
        self.run_eagerly = kwargs.pop("run_eagerly", None)
        for key in ("experimental_run_tf_function", "cloning"):
            kwargs.pop(key, None)
        check_mode(self)
        found = self._found_optimizer(optimizer)
        self.optimizer = scaled_by_policy(found, self._dtype_policy)
        self.loss, self.loss_weights = loss, loss_weights
        self.sample_weight_mode = sample_weight_mode
        self._given_metrics, self._given_weighted = metrics, weighted_metrics
        self._target_tensors, self._function_kwargs = target_tensors, kwargs
        self._is_compiled = True
        if isinstance(loss, str):
            compiled.loss_object(loss)
        if self.outputs is not None:
            self._self_make_losses()

    def _self_make_losses(self) -> None:
        outputs, names = nest.flatten(self.outputs), self.output_names
        targets = self._target_tensors
        if targets is not None and not isinstance(targets, (list, tuple, dict)):
            targets = [targets]
        self._self_functions = {}
        self._self_endpoints = [
            compiled.Endpoint(*each)
            for each in zip(
                outputs,
                names,
                compiled.per_output(self.loss, names, "loss"),
                compiled.per_output(self.loss_weights, names, "loss_weights", 1.0),
                compiled.per_output(self.sample_weight_mode, names, "sample_weight_mode"),
                compiled.per_output(targets, names, "target_tensors"),
                strict=True,
            )
        ]
        for each, weights in zip(self._self_endpoints, self._weight_tensors, strict=False):
            each.weights = weights
        self._metric_results: list[Any] = []
        measured = [each for each in self._self_endpoints if each.target is not None]
        self._compile_metrics: list[Any] = []
        per_output = self._metrics_of_outputs(measured)
        self._collected_trainable_weights = self.trainable_weights
        self._self_compiled_trainable = [
            (each, each._trainable) for each in (self, *self.submodules)
        ]
        trained = [each for each in self._self_endpoints if each.loss_fn is not None]
        several = len(self._self_endpoints) > 1
        self._loss_metrics = [
            metrics_module.Mean(each) for each in (compiled.loss_names(trained) if several else ())
        ]
        with ops.name_scope("loss"):
            total: Any = None
            for place, each in enumerate(trained):
                loss = each.loss()
                if several:
                    self._metric_results.append(self._loss_metrics[place](loss))
                weighted = loss if each.loss_weight == 1.0 else loss * each.loss_weight
                total = weighted if total is None else total + weighted
            further = [*self.get_losses_for(None), *self.get_losses_for(self.inputs)]
            if further:
                added = ops.add_n([compiled.mean_if_several(each) for each in further])
                total = added if total is None else total + added
            if total is None:
                raise ValueError("The model cannot be compiled because it has no loss to optimize.")
            self.total_loss = total
        with ops.name_scope("metrics"):
            for each, made in zip(measured, per_output, strict=True):
                for metric, weighted in made:
                    self._compile_metrics.append(metric)
                    self._metric_results.append(compiled.called(metric, each, weighted))

    def _metrics_of_outputs(self, measured: list[compiled.Endpoint]) -> list[list[Any]]:
        """For each output its metrics, then those that are weighted, each with whether it is."""
        names = self.output_names
        made: list[list[tuple[Any, bool]]] = [[] for _ in measured]
        for given, weighted in ((self._given_metrics, False), (self._given_weighted, True)):
            listed = dict(zip(names, compiled.metrics_per_output(given, names), strict=True))
            for own, each in zip(made, measured, strict=True):
                found = compiled.metric_objects(listed[each.output_name], each, weighted)
                own += [(metric, weighted) for metric in found]
        known = ["loss", *(compiled.loss_names(measured) if len(names) > 1 else ())]
        known += [each.name for each in super().metrics]
        for own, each in zip(made, measured, strict=True):
            prefix = f"{each.output_name}_" if len(names) > 1 else ""
            for metric, _ in own:
                metric._name = compiled.unlike(f"{prefix}{metric.name}", known)
                known.append(metric.name)
        return made

    @property
    def metrics(self) -> list[Any]:
        """The metrics that the model was compiled with, and those of layers."""
        return [*getattr(self, "_compile_metrics", ()), *super().metrics]

    def _self_all_metrics(self) -> list[Any]:
        """The same, and the means of the outputs' losses."""
        return [*getattr(self, "_loss_metrics", ()), *self.metrics]

    @property
    def _self_metrics_inside(self) -> list[Any]:
        return super().metrics

    @property
    def metrics_names(self) -> list[str]:
        """What `train_on_batch` gives, in its order."""
        own = getattr(self, "_compile_metrics", ())
        told = [*getattr(self, "_loss_metrics", ()), *own, *self._called_metrics()]
        return ["loss", *(each.name for each in told)]

    @property
    def loss_functions(self) -> list[Any]:
        """The losses of the outputs that are trained."""
        return [each.loss_fn for each in self._self_endpoints if each.loss_fn is not None]

    @property
    def _loss_weights_list(self) -> list[float]:
        return [each.loss_weight for each in self._self_endpoints]

    @property
    def targets(self) -> list[Any]:
        """The tensors of what is true."""
        return [each.target for each in self._self_endpoints if each.target is not None]

    _targets = targets

    @property
    def sample_weights(self) -> list[Any]:
        """The tensors of the weights of samples."""
        return [each.weights for each in self._self_endpoints if each.weights is not None]

    @property
    def run_eagerly(self) -> bool:
        """False: what runs is a graph."""
        check_mode(self)
        return False

    @run_eagerly.setter
    def run_eagerly(self, value: bool | None) -> None:
        self._run_eagerly = value

    def add_metric(self, value: Any, aggregation: Any = None, name: str | None = None) -> None:
        """Adds a metric; see `Layer`."""
        super().add_metric(value, aggregation, name)
        self._self_functions = {}

    def reset_metrics(self) -> None:
        """Lets all metrics begin again."""
        zeros = [
            (each, np.zeros(each.shape.as_list(), each.dtype.as_numpy_dtype))
            for metric in self._self_all_metrics()
            for each in metric.variables
        ]
        own = [each for each in self._self_all_metrics() if _resets_itself(each)]
        K.batch_set_value(zeros)
        for each in own:
            each.reset_states()

    @property
    def _self_feeds(self) -> list[Any]:
        return [each for each in nest.flatten(self.inputs) if _is_fed(each)]

    @property
    def _self_feed_names(self) -> list[str]:
        flat = nest.flatten(self.inputs)
        return [n for n, each in zip(self.input_names, flat, strict=True) if _is_fed(each)]

    def _self_function(self, mode: str) -> Any:
        """What runs a batch: "train", "test" or "predict"."""
        if mode in self._self_functions:
            return self._self_functions[mode]
        inputs = list(self._self_feeds)
        if mode == "predict":
            kwargs = dict(getattr(self, "_function_kwargs", {}))
            outputs, updates = nest.flatten(self.outputs), self.state_updates
        else:
            self._self_check_compiled()
            kwargs = self._function_kwargs
            outputs = [self.total_loss, *self._metric_results, *self._added_results()]
            for each in self._self_endpoints:
                if each.feeds:
                    inputs.append(each.target)
            inputs += self.sample_weights
            updates = [update for metric in self._self_all_metrics() for update in metric._updates]
            if mode == "train":
                updates = [*self._training_updates(), *updates]
            else:
                updates = [*self.state_updates, *updates]
        if isinstance(phase := K.learning_phase(), ops.Tensor):
            inputs.append(phase)
        made = K.function(inputs, outputs, updates=updates, name=f"{mode}_function", **kwargs)
        self._self_functions[mode] = made
        return made

    def _called_metrics(self) -> list[Any]:
        """Those of layers and of subclasses that have a result."""
        own = len(getattr(self, "_compile_metrics", ()))
        return [each for each in self.metrics[own:] if hasattr(each, "_call_result")]

    def _added_results(self) -> list[Any]:
        return [each._call_result for each in self._called_metrics()]

    def _training_updates(self) -> list[Any]:
        """What a step of training changes: as layers were trainable when this was compiled."""
        if [id(each) for each in self._collected_trainable_weights] != [
            id(each) for each in self.trainable_weights
        ]:
            warnings.warn(
                "Discrepancy between trainable weights and collected trainable weights, did you "
                "set `model.trainable` without calling `model.compile` after ?",
                stacklevel=2,
            )
        with compiled.trainable_as(self._self_compiled_trainable), ops.name_scope("training"):
            steps = self._optimizer_updates()
            return [*self.get_updates_for(None), *self.get_updates_for(self.inputs), *steps]

    def _found_optimizer(self, optimizer: Any) -> Any:
        return optimizers.get(optimizer)

    def _optimizer_updates(self) -> list[Any]:
        weights = self._collected_trainable_weights
        steps: list[Any] = self.optimizer.get_updates(params=weights, loss=self.total_loss)
        return steps

    def _make_train_function(self) -> None:
        self._self_function("train")

    def _make_test_function(self) -> None:
        self._self_function("test")

    def _make_predict_function(self) -> None:
        self._self_function("predict")

    @property
    def train_function(self) -> Any:
        """What trains on a batch."""
        return self._self_function("train")

    @property
    def test_function(self) -> Any:
        """What evaluates a batch."""
        return self._self_function("test")

    @property
    def predict_function(self) -> Any:
        """What predicts a batch."""
        return self._self_function("predict")

    def _self_check_compiled(self) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile("
                "optimizer, loss)`."
            )

    def _self_standardize(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        with_targets: bool = True,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs, targets and weights as lists of arrays, in the order in which they are fed."""
        if self.inputs is None:
            self._set_inputs(x)
        if self._is_compiled and not self._self_endpoints:
            # Compiled before there were outputs: by now they were called, built or come of `x`.
            self._self_make_losses()
        names = self._self_feed_names
        shapes = None
        if self._is_graph_network:
            shapes = [K.int_shape(each) for each in self._self_feeds]
        xs = data.standardize_input_data(x, names, shapes, False, "input")
        if not with_targets:
            data.check_lengths(xs, [], [])
            return xs, [], []
        self._self_check_compiled()
        fed = [each for each in self._self_endpoints if each.feeds]
        trained = [each for each in self._self_endpoints if each.loss_fn is not None]
        target_names = [each.output_name for each in fed]
        ys = data.standardize_input_data(y, target_names, None, False, "target")
        for index, each in enumerate(fed):
            ys[index] = compiled.fitting_target(ys[index], each)
        if any(each is None for each in ys):
            raise ValueError(
                "You are passing no target data while the model expects it: "
                f"Expected targets for {target_names}."
            )
        own = [each.output_name for each in trained]
        given = data.standardize_sample_weights(sample_weight, own)
        of_class = data.class_weights_of(class_weight, own)
        by_name = dict(zip(target_names, ys, strict=True))
        weights = [
            data.standardize_weights(
                by_name.get(each.output_name), one, classes, each.sample_weight_mode
            )
            for each, one, classes in zip(trained, given, of_class, strict=True)
        ]
        data.check_lengths(xs, ys, [each for each in weights if each is not None])
        return xs, ys, weights

    def _set_inputs(self, x: Any, outputs: Any = None, training: Any = None) -> None:
        """Calls a subclass, or a `Sequential` without a shape, on placeholders like some arrays."""
        if outputs is not None:
            return self._self_set_ends(x, outputs)

        def like(each: Any) -> Any:
            if hasattr(each, "op"):
                each = ops.convert_to_tensor(each)
                return ops.cast(each, K.floatx()) if each.dtype.is_floating else each
            array = np.asarray(each)
            array = array[:, None] if array.ndim == 1 else array
            kind = K.floatx() if array.dtype.kind == "f" else array.dtype.name
            return K.placeholder((None, *array.shape[1:]), dtype=kind)

        inputs = nest.map_structure(like, x)
        if training is None:
            training = K.learning_phase()
        self(inputs, **({"training": training} if "training" in self._self_call_names else {}))
        return None

    def _self_feed(
        self, xs: list[Any], ys: list[Any], weights: list[Any], training: bool
    ) -> list[Any]:
        """What a function of a batch is given."""
        given = [*xs, *ys]
        for each, weight in zip(self.sample_weights, weights, strict=True):
            given.append(np.ones([1] * (each.shape.rank or 1)) if weight is None else weight)
        if isinstance(K.learning_phase(), ops.Tensor):
            given.append(training)
        return given

    def _self_run(self, mode: str, xs: Any, ys: Any = (), weights: Any = ()) -> list[Any]:
        made = self._self_function(mode)
        if mode == "predict":
            weights = ()
            phase = [False] if isinstance(K.learning_phase(), ops.Tensor) else []
            return made([*xs, *phase])  # type: ignore[no-any-return]
        return made(self._self_feed(list(xs), list(ys), list(weights), mode == "train"))  # type: ignore[no-any-return]

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
    ) -> Any:
        """One step of training; the loss, or a list of it and the metrics."""
        parts = self._self_standardize(x, y, sample_weight, class_weight)
        results = self._self_run("train", *parts)
        if reset_metrics:
            self.reset_metrics()
        return results[0] if len(results) == 1 else results

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: bool = True
    ) -> Any:
        """The loss of a batch, or a list of it and the metrics."""
        parts = self._self_standardize(x, y, sample_weight)
        results = self._self_run("test", *parts)
        if reset_metrics:
            self.reset_metrics()
        return results[0] if len(results) == 1 else results

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for a batch."""
        results = self._self_run("predict", self._self_standardize(x, with_targets=False)[0])
        return results[0] if len(results) == 1 else results

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Trains the model for some epochs.

        Args:
          x: Inputs: an array, a list or dictionary of arrays, a dataset or iterator of tf.data, a
            generator or a `Sequence`.
          y: Targets; none if `x` gives them.
          batch_size: Samples of a step; 32 if None.
          epochs: The number of the last epoch.
          verbose: 0 for silence, 1 for a bar, 2 for a line an epoch.
          callbacks: What is told of the progress.
          validation_split: Share of the samples, the last ones, that the model is evaluated on.
          validation_data: What the model is evaluated on after each epoch.
          shuffle: Whether samples come in a new order each epoch; "batch" mixes whole batches.
          class_weight: Class -> weight of its samples.
          sample_weight: The weight of each sample.
          initial_epoch: The number of epochs that are over already.
          steps_per_epoch: Batches of an epoch.
          validation_steps: Batches of an evaluation.
          validation_freq: Every how many epochs the model is evaluated, or after which.
          max_queue_size: Not used: batches are taken when they are wanted.
          workers: Not used.
          use_multiprocessing: Not used.
          **kwargs: `nb_epoch`, the former name of `epochs`.

        Returns:
          A `History`.
        """
        epochs = kwargs.pop("nb_epoch", epochs)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self._self_check_compiled()
        return loops.fit(
            self, x, y, batch_size, epochs, verbose, callbacks, validation_split, validation_data,
            shuffle, class_weight, sample_weight, initial_epoch, steps_per_epoch, validation_steps,
            validation_freq,
        )  # fmt: skip

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The loss of samples, or a list of it and the metrics; arguments as `fit`'s."""
        self._self_check_compiled()
        return loops.evaluate(self, x, y, batch_size, verbose, sample_weight, steps, callbacks)

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The outputs for samples: an array, or a list of them; arguments as `fit`'s."""
        return loops.predict(self, x, batch_size, verbose, steps, callbacks)

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> Any:
        """Trains the model on batches that are generated; see `fit`."""
        return self.fit(
            generator,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            shuffle=shuffle,
            class_weight=class_weight,
            initial_epoch=initial_epoch,
            steps_per_epoch=steps_per_epoch,
            validation_steps=validation_steps,
            validation_freq=validation_freq,
        )

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """The loss of generated batches; see `evaluate`."""
        return self.evaluate(generator, verbose=verbose, steps=steps, callbacks=callbacks)

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """The outputs for generated batches; see `predict`."""
        return self.predict(generator, verbose=verbose, steps=steps, callbacks=callbacks)


def _is_fed(tensor: Any) -> bool:
    if isinstance(tensor, ops.SparseTensor):
        return tensor.indices.op.type == "Placeholder"
    return K.is_placeholder(tensor)


def _resets_itself(metric: Any) -> bool:
    """Whether a program says how its metric begins again."""
    return "reset_states" in vars(type(metric)) and not type(metric).__module__.startswith(
        "dataflow."
    )
