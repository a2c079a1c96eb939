"""The losses and metrics of a model's outputs, as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import losses, metrics, ops
from dataflow.keras.engine.weighting import fitted_weights, reduced, with_mask

_ACCURACY, _CROSSENTROPY = ("accuracy", "acc"), ("crossentropy", "ce")


class Endpoint:
    """One output of a model in training: what it is compared with, and how.

    Attributes:
      loss_fn: The loss as an object; None for an output that is not trained.
      target: What is true: a placeholder, or a tensor of the program's.
      weights: The weights of samples.
      feeds: Whether values are fed to the target.
    """

    def __init__(
        self, output: Any, name: str, loss: Any, loss_weight: float, mode: str | None, target: Any
    ) -> None:
        self.output, self.output_name, self.loss_weight = output, name, loss_weight
        self.sample_weight_mode = mode
        self.loss_fn = loss_object(loss)
        self.feeds = self.loss_fn is not None and (target is None or K.is_placeholder(target))
        self.target = target
        self.weights: Any = None
        if self.loss_fn is None:
            return
        if target is None:
            self.target = K.placeholder(
                ndim=output.shape.rank, name=f"{name}_target", dtype=K.dtype(output)
            )
        start, shape = ([[1.0]], [None, None]) if mode == "temporal" else ([1.0], [None])
        self.weights = ops.placeholder_with_default(
            ops.constant(start, dtype=K.floatx()), shape, name=f"{name}_sample_weights"
        )

    @property
    def shape(self) -> Any:
        """The sizes that targets must have; None for any."""
        fn = getattr(self.loss_fn, "fn", None)
        sizes = K.int_shape(self.output)
        if sizes is None or not isinstance(self.loss_fn, losses.LossFunctionWrapper):
            return None
        if fn is losses.sparse_categorical_crossentropy:
            return (*sizes[:-1], 1)
        return sizes if getattr(fn, "__module__", "") == losses.__name__ else None

    def loss(self) -> Any:
        """The loss of a batch."""
        with ops.name_scope(f"{self.output_name}_loss"):
            y_pred = self.output
            mask = getattr(y_pred, "_keras_mask", None)
            weights = with_mask(mask, self.weights, y_pred.dtype.base_dtype)
            if not hasattr(self.loss_fn, "reduction"):
                return self.loss_fn(self.target, y_pred, sample_weight=weights)
            values = self.loss_fn.call(self.target, y_pred)
            return reduced(values * fitted_weights(values, weights), self._reduction)

    @property
    def _reduction(self) -> str:
        given = str(self.loss_fn.reduction)
        return "sum_over_batch_size" if given == "auto" else given


def loss_object(loss: Any) -> Any:
    """A loss as an object of `Loss`; None for none."""
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    fn = losses.get(loss)
    if isinstance(fn, losses.Loss):
        return fn
    return losses.LossFunctionWrapper(fn, name=getattr(fn, "__name__", type(fn).__name__))


def per_output(given: Any, names: list[str], what: str, default: Any = None) -> list[Any]:
    """What is given for all outputs, as one for each.

    Raises:
      TypeError: Weights of losses are neither a list nor a dictionary.
      ValueError: There are more or fewer, or a name is unknown.
    """
    if isinstance(given, Mapping):
        unknown = set(given) - set(names)
        if unknown:
            raise ValueError(
                f"Unknown entries in {what} dictionary: {sorted(unknown)}. Only expected following "
                f"keys: {names}"
            )
        return [given.get(name, default) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"When passing a list as {what}, it should have one entry per model "
                f"output{'s' if what == 'loss' else ''}. The model has {len(names)} outputs, but "
                f"you passed {what}={given}"
            )
        return list(given)
    if what == "loss_weights" and given is not None:
        raise TypeError(
            f"Could not interpret loss_weights argument: {given} - expected a list of dicts."
        )
    return [default if given is None else given] * len(names)


def metrics_per_output(given: Any, names: list[str]) -> list[list[Any]]:
    """The metrics of each output."""
    if not given:
        return [[] for _ in names]
    if isinstance(given, Mapping):
        unknown = set(given) - set(names)
        if unknown:
            raise ValueError(
                f"Unknown entries in metrics dictionary: {sorted(unknown)}. Only expected "
                f"following keys: {names}"
            )
        return [_listed(given.get(name, [])) for name in names]
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"Type of `metrics` argument not understood. Expected a list or "
            f"dictionary, found: {given}"
        )
    if any(isinstance(each, (list, tuple)) for each in given):
        if len(given) != len(names):
            raise ValueError(
                "When passing a list of lists as `metrics`, it should have one entry per model "
                f"output. The model has {len(names)} outputs, but you passed metrics={given}"
            )
        return [_listed(each) for each in given]
    if len(names) == 1:
        return [list(given)]
    return [[metrics.clone_metric(each) for each in given] for _ in names]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _function(metric: Any, endpoint: Endpoint) -> Any:
    """The function of a name; that of "accuracy" goes by the loss and the size of the output."""
    if metric not in (*_ACCURACY, *_CROSSENTROPY):
        return metrics.get(metric)
    fn = getattr(endpoint.loss_fn, "fn", None)
    last = (K.int_shape(endpoint.output) or (None,))[-1]
    if last == 1 or fn is losses.binary_crossentropy:
        kind = "binary"
    elif fn is losses.sparse_categorical_crossentropy:
        kind = "sparse_categorical"
    else:
        kind = "categorical"
    suffix = "accuracy" if metric in _ACCURACY else "crossentropy"
    return getattr(metrics, f"{kind}_{suffix}")


def metric_objects(given: list[Any], endpoint: Endpoint, weighted: bool) -> list[Any]:
    """The metrics of an output as objects, of those of one name the last."""
    found: dict[str, Any] = {}
    for each in given:
        made = metric_object(each, endpoint, weighted)
        found[made.name] = made
    return list(found.values())


def metric_object(metric: Any, endpoint: Endpoint, weighted: bool) -> Any:
    """A metric as an object, with the name it is told by."""
    is_short = isinstance(metric, str) and metric in (*_ACCURACY, *_CROSSENTROPY)
    fn = _function(metric, endpoint)
    prefix = "weighted_" if weighted else ""
    if isinstance(fn, metrics.Metric):
        fn._name = prefix + fn.name
        return fn
    if is_short:
        name = "acc" if metric in _ACCURACY else "ce"
    else:
        name = getattr(fn, "__name__", None) or getattr(fn, "name", None) or type(fn).__name__
    return metrics.MeanMetricWrapper(fn, name=prefix + name)


def loss_names(endpoints: list[Endpoint]) -> list[str]:
    """What the losses of outputs that are trained are told by."""
    return [f"{each.output_name}_loss" for each in endpoints if each.loss_fn is not None]


def unlike(name: str, known: list[str]) -> str:
    """The name, with a number behind it if it is known."""
    found, number = name, 1
    while found in known:
        found, number = f"{name}_{number}", number + 1
    return found


def called(metric: Any, endpoint: Endpoint, weighted: bool) -> Any:
    """The result of a metric of an output."""
    output = endpoint.output
    mask = getattr(output, "_keras_mask", None)
    weights = endpoint.weights if weighted else None
    weights = with_mask(mask, weights, output.dtype.base_dtype)
    return metric(endpoint.target, output, sample_weight=weights)


@contextmanager
def trainable_as(states: list[tuple[Any, bool]]) -> Iterator[None]:
    """Within it layers are trainable as they were at some time.

    Args:
      states: Each layer with what it was, which is not given to the layers in it.
    """
    now = [(layer, layer._trainable) for layer, _ in states]
    try:
        for layer, value in states:
            layer._trainable = value
        yield
    finally:
        for layer, value in now:
            layer._trainable = value


_OF_EQUAL_SHAPES = (
    losses.mean_squared_error,
    losses.binary_crossentropy,
    losses.categorical_crossentropy,
)
_NUMBERS_OF_CLASSES = (
    "You are passing a target array of shape {} while using as loss `categorical_crossentropy`. "
    "`categorical_crossentropy` expects targets to be binary matrices (1s and 0s) of shape "
    "(samples, classes). If your targets are integer classes, convert them by "
    "`keras.utils.to_categorical`. Alternatively, you can use the loss function "
    "`sparse_categorical_crossentropy` instead, which does expect integer targets."
)


def fitting_target(y: Any, endpoint: Endpoint) -> Any:
    """Targets as the loss takes them.

    Raises:
      ValueError: Their shape is another.
    """
    wanted = endpoint.shape
    if y is None or wanted is None or isinstance(y, ops.Tensor):
        return y
    found = tuple(y.shape)
    if len(found) == len(wanted) - 1 and wanted[-1] == 1:
        return np.asarray(y)[..., None]
    fits = all(want in (None, have) for want, have in zip(wanted[1:], found[1:], strict=False))
    fn = getattr(endpoint.loss_fn, "fn", None)
    if fn is losses.categorical_crossentropy and found[-1] == 1:
        raise ValueError(_NUMBERS_OF_CLASSES.format(found))
    if fn is losses.sparse_categorical_crossentropy and not fits:
        raise ValueError(
            f"Error when checking target: expected {endpoint.output_name} to have shape "
            f"{wanted[1:]} but got array with shape {found[1:]}"
        )
    if fn in _OF_EQUAL_SHAPES and not fits:
        raise ValueError(
            f"A target array with shape {found} was passed for an output of shape {wanted} while "
            f"using as loss `{endpoint.loss_fn.name}`. This loss expects targets to have the same "
            "shape as the output."
        )
    return y


def mean_if_several(loss: Any) -> Any:
    """A loss that a layer has added as one number."""
    return loss if loss.shape.rank == 0 else ops.reduce_mean(loss)
