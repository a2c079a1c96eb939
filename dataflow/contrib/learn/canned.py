"""The canned estimators of tf.contrib.learn: linear models and nets, with names of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from dataflow.contrib.layers.feature_column_ops import (
    input_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.linear import fully_connected
from dataflow.contrib.layers.optimizers import optimize_loss
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.base import Head
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.estimation.canned.logits import summarize
from dataflow.estimation.canned.optimizers import linear_rate, parted
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph import scopes
from dataflow.library.layers.dropout import dropout as drop_out
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.training.global_step import get_global_step
from dataflow.variables.scope import variable_scope

_ACTIVATIONS = {"relu": relu, "tanh": tanh, "sigmoid": sigmoid}


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a net, whose logits are added, with any head."""

    _overridable: ClassVar[frozenset[str]] = Estimator._overridable | {"predict"}
    _rates: ClassVar[tuple[float, float]] = (0.001, 0.005)
    """Of a net, and the most of a linear model, if an optimizer is given by name."""

    def __init__(
        self,
        head: Any,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          model_dir: Folder of checkpoints and summaries.
          linear_feature_columns: Columns of the linear model; there is none without them.
          linear_optimizer: Trains the linear model: an optimizer, its name, or what gives it.
          _joint_linear_weights: Not offered: False.
          dnn_feature_columns: Columns of the net; there is none without them.
          dnn_optimizer: Trains the net.
          dnn_hidden_units: How many numbers each hidden layer gives.
          dnn_activation_fn: Of hidden layers, a function or "relu", "tanh" or "sigmoid".
          dnn_dropout: Which share of a hidden layer's numbers training leaves out.
          gradient_clip_norm: The most that the norm of the gradients of a model may be.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.
          embedding_lr_multipliers: Not offered: None.
          fix_global_step_increment_bug: Whether a step of both models counts once.
          input_layer_partitioner: Cuts the tables of embeddings into parts.

        Raises:
          ValueError: There are no columns.
          NotImplementedError: Linear weights are to lie in one variable, or embeddings are to learn
            at rates of their own.
        """
        linear, deep = list(linear_feature_columns or []), list(dnn_feature_columns or [])
        if not linear and not deep:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        if _joint_linear_weights:
            raise NotImplementedError(
                "_joint_linear_weights is not offered: each column has a variable; leave it False."
            )
        if embedding_lr_multipliers is not None:
            raise NotImplementedError(
                "embedding_lr_multipliers is not offered: all of the net learns at the rate of "
                "dnn_optimizer; leave it None."
            )
        activation = _ACTIVATIONS.get(dnn_activation_fn, dnn_activation_fn or relu)
        counts_once = fix_global_step_increment_bug or not (linear and deep)

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            if not isinstance(features, dict):
                features = {"": features}
            tensors = tuple(features.values())
            logits: Any = None
            if deep:
                if not dnn_hidden_units:
                    raise ValueError(
                        "dnn_hidden_units must be defined when dnn_feature_columns is specified."
                    )
                cuts = input_layer_partitioner or parted(config, 64 << 20)
                with variable_scope("dnn", values=tensors, partitioner=parted(config)):
                    with variable_scope("input_from_feature_columns", partitioner=cuts) as scope:
                        net: Any = input_from_feature_columns(features, deep, ["dnn"], scope=scope)
                    for number, size in enumerate(dnn_hidden_units):
                        net = _layer(net, size, activation, f"hiddenlayer_{number}")
                        if dnn_dropout is not None and mode == ModeKeys.TRAIN:
                            net = drop_out(net, rate=dnn_dropout, training=True)
                    logits = _layer(net, head.logits_dimension, None, "logits")
            if linear:
                cuts = parted(config, 64 << 20)
                with variable_scope("linear", values=tensors, partitioner=cuts) as scope:
                    found, _, _ = weighted_sum_from_feature_columns(
                        features, linear, head.logits_dimension, ["linear"], scope=scope
                    )
                summarize(found, "linear")
                logits = found if logits is None else logits + found

            def train_op_fn(loss: Any) -> Any:
                of_net, most = self._rates
                steps = [
                    optimize_loss(
                        loss,
                        get_global_step(),
                        rate,
                        _optimizer(optimizer),
                        clip_gradients=gradient_clip_norm,
                        variables=scopes.get_collection(name),
                        name=name,
                        summaries=[],
                        increment_global_step=not counts_once,
                    )
                    for name, columns, optimizer, rate in (
                        ("dnn", deep, dnn_optimizer or "Adagrad", of_net),
                        ("linear", linear, linear_optimizer or "Ftrl", _rate(most, linear)),
                    )
                    if columns
                ]
                if not counts_once:
                    return group(*steps)
                with scopes.control_dependencies(steps):
                    return group(get_global_step().assign_add(1))

            if isinstance(head, Head):
                return head.create_model_fn_ops(features, mode, labels, train_op_fn, logits)
            return head.create_estimator_spec(
                features=features, mode=mode, labels=labels, logits=logits, train_op_fn=train_op_fn
            )

        super().__init__(model_fn, model_dir, config, feature_engineering_fn=feature_engineering_fn)


class _Classifier(DNNLinearCombinedEstimator):
    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """The classes of examples, or other predictions by name; see `Estimator.predict`."""
        if not outputs:
            return self.predict_classes(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The classes of examples, one after the other or as an array."""
        return self._only(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The probabilities of all classes, one example after the other or as an array."""
        return self._only(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)

    def _only(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        found = Estimator.predict(self, x, input_fn, batch_size, [key], as_iterable)
        return _each(found, key) if as_iterable else found[key]


class _Regressor(DNNLinearCombinedEstimator):
    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """The numbers of examples, or other predictions by name; see `Estimator.predict`."""
        if not outputs:
            return self.predict_scores(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The numbers of examples, one after the other or as an array."""
        found = Estimator.predict(
            self, x, input_fn, batch_size, [PredictionKey.SCORES], as_iterable
        )
        return _each(found, PredictionKey.SCORES) if as_iterable else found[PredictionKey.SCORES]


class DNNLinearCombinedClassifier(_Classifier):
    """A linear model and a net that tell classes; see `DNNLinearCombinedEstimator`."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _class_head(n_classes, weight_column_name, label_keys, enable_centered_bias),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
        )


class DNNLinearCombinedRegressor(_Regressor):
    """A linear model and a net that give numbers; see `DNNLinearCombinedEstimator`."""

    def __init__(
        self,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _number_head(label_dimension, weight_column_name, enable_centered_bias),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
        )


class DNNClassifier(_Classifier):
    """A net that tells classes."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _class_head(n_classes, weight_column_name, label_keys, enable_centered_bias),
            model_dir,
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            dnn_hidden_units=hidden_units,
            dnn_activation_fn=activation_fn,
            dnn_dropout=dropout,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
            embedding_lr_multipliers=embedding_lr_multipliers,
        )


class DNNRegressor(_Regressor):
    """A net that gives numbers."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _number_head(label_dimension, weight_column_name, enable_centered_bias),
            model_dir,
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            dnn_hidden_units=hidden_units,
            dnn_activation_fn=activation_fn,
            dnn_dropout=dropout,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
            embedding_lr_multipliers=embedding_lr_multipliers,
        )


class LinearClassifier(_Classifier):
    """A linear model that tells classes."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _class_head(n_classes, weight_column_name, label_keys, enable_centered_bias),
            model_dir,
            feature_columns,
            optimizer,
            _joint_weight,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class LinearRegressor(_Regressor):
    """A linear model that gives numbers."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            _number_head(label_dimension, weight_column_name, enable_centered_bias),
            model_dir,
            feature_columns,
            optimizer,
            _joint_weights,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class DNNEstimator(DNNLinearCombinedEstimator):
    """A net with any head."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            head,
            model_dir,
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            dnn_hidden_units=hidden_units,
            dnn_activation_fn=activation_fn,
            dnn_dropout=dropout,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
            embedding_lr_multipliers=embedding_lr_multipliers,
        )


class LinearEstimator(DNNLinearCombinedEstimator):
    """A linear model with any head."""

    _rates: ClassVar[tuple[float, float]] = (0.05, 0.2)

    def __init__(
        self,
        feature_columns: Any,
        head: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        super().__init__(
            head,
            model_dir,
            feature_columns,
            optimizer,
            _joint_weights,
            gradient_clip_norm=gradient_clip_norm,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


def _class_head(n_classes: int, weights: Any, names: Any, centered: bool) -> Any:
    return multi_class_head(
        n_classes,
        weight_column_name=weights,
        enable_centered_bias=centered,
        label_keys=names,
    )


def _number_head(dimension: int, weights: Any, centered: bool) -> Any:
    return regression_head(
        weight_column_name=weights, label_dimension=dimension, enable_centered_bias=centered
    )


def _layer(net: Any, size: int, activation: Callable[[Any], Any] | None, name: str) -> Any:
    with variable_scope(name, values=(net,)) as scope:
        made = fully_connected(
            net, size, activation_fn=activation, variables_collections=["dnn"], scope=scope
        )
    summarize(made, scope.name)
    return made


def _optimizer(given: Any) -> Any:
    return given() if callable(given) and not isinstance(given, type) else given


def _rate(most: float, columns: Sequence[Any]) -> float:
    return linear_rate(most, len(columns)) if columns else most


def _each(rows: Iterator[Any], key: str) -> Iterator[Any]:
    for row in rows:
        yield row[key]
