"""tf.keras.losses: functions of what is true and what is predicted, and objects around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.engine.weighting import compute_weighted_loss, squeeze_or_expand
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = ops.convert_to_tensor(y_pred)
    return ops.cast(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of the differences, along the last dimension."""
    y_true, y_pred = _pair(y_true, y_pred)
    return K.mean(ops.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the absolute differences."""
    y_true, y_pred = _pair(y_true, y_pred)
    return K.mean(ops.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the absolute differences in percent of what is true."""
    y_true, y_pred = _pair(y_true, y_pred)
    difference = ops.abs((y_true - y_pred) / K.clip(ops.abs(y_true), K.epsilon(), None))
    return 100.0 * K.mean(difference, axis=-1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of the differences of logarithms, of one more each."""
    y_true, y_pred = _pair(y_true, y_pred)
    first, second = (ops.log(K.clip(each, K.epsilon(), None) + 1.0) for each in (y_pred, y_true))
    return K.mean(ops.squared_difference(first, second), axis=-1)


def _signs(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Zeros and ones become -1 and 1; other labels are taken as they are."""
    y_true, y_pred = _pair(y_true, y_pred)
    binary = ops.reduce_all(ops.logical_or(ops.equal(y_true, 0), ops.equal(y_true, 1)))
    return ops.cond(binary, lambda: 2.0 * y_true - 1.0, lambda: ops.identity(y_true)), y_pred


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of `max(1 - y_true * y_pred, 0) ** 2`."""
    y_true, y_pred = _signs(y_true, y_pred)
    return K.mean(ops.square(ops.maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of `max(1 - y_true * y_pred, 0)`."""
    y_true, y_pred = _signs(y_true, y_pred)
    return K.mean(ops.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """How far the true class is from being ahead of the others by 1."""
    y_true, y_pred = _pair(y_true, y_pred)
    positive = ops.reduce_sum(y_true * y_pred, axis=-1)
    negative = ops.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return ops.maximum(0.0, negative - positive + 1.0)


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the squares of small differences, a straight line beyond `delta`."""
    y_true, y_pred = (ops.cast(each, K.floatx()) for each in (y_true, y_pred))
    error = ops.abs(y_pred - y_true)
    near = ops.minimum(error, delta)
    return 0.5 * near * near + delta * (error - near)


def logcosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of `log(cosh(difference))`."""
    y_true, y_pred = _pair(y_true, y_pred)
    x = y_pred - y_true
    return K.mean(x + ops.softplus(-2.0 * x) - math.log(2.0), axis=-1)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: Any = 0
) -> Any:
    """The cross entropy of distributions over classes."""
    y_true, y_pred = _pair(y_true, y_pred)
    if not isinstance(label_smoothing, (int, float)) or label_smoothing:
        classes = ops.cast(ops.shape(y_true)[1], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return K.categorical_crossentropy(y_true, y_pred, from_logits=from_logits)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """The cross entropy of distributions and the numbers of the true classes."""
    return K.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: Any = 0
) -> Any:
    """The mean cross entropy of probabilities."""
    y_true, y_pred = _pair(y_true, y_pred)
    if not isinstance(label_smoothing, (int, float)) or label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return K.mean(K.binary_crossentropy(y_true, y_pred, from_logits=from_logits), axis=-1)


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Any:
    """`sum(y_true * log(y_true / y_pred))`."""
    y_true, y_pred = _pair(y_true, y_pred)
    y_true, y_pred = (K.clip(each, K.epsilon(), 1) for each in (y_true, y_pred))
    return ops.reduce_sum(y_true * ops.log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean of `y_pred - y_true * log(y_pred)`."""
    y_true, y_pred = _pair(y_true, y_pred)
    return K.mean(y_pred - y_true * ops.log(y_pred + K.epsilon()), axis=-1)


def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between vectors."""
    y_true = ops.l2_normalize(y_true, axis=axis)
    y_pred = ops.l2_normalize(y_pred, axis=axis)
    return ops.reduce_sum(y_true * y_pred, axis=axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
bce = BCE = binary_crossentropy
cosine = cosine_similarity = cosine_proximity


class Reduction:
    """How losses of elements become one: the names that there are."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for another name."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


ReductionV2 = Reduction


def evaluated(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a function as a configuration tells them: of tensors and variables the value."""
    return {key: K.eval(each) if hasattr(each, "op") else each for key, each in arguments.items()}


class Loss:
    """A loss as an object: subclasses say in `call` what that of each element is.

    Args:
      reduction: How they become one; AUTO is their mean.
      name: Its name.
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction, self.name = reduction, name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch, each element times its weight."""
        with ops.name_scope((self.name or type(self).__name__).strip("<>")):
            losses = self.call(y_true, y_pred)
            Reduction.validate(self.reduction)
            return compute_weighted_loss(losses, sample_weight, self.reduction)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each element."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A loss of what `get_config` gave."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A function as a loss, with further arguments by their names."""

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str = Reduction.AUTO,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction, name)
        self.fn, self._fn_kwargs = fn, kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The function's loss of each element."""
        if isinstance(y_pred, ops.Tensor) and isinstance(y_true, ops.Tensor):
            y_pred, y_true = squeeze_or_expand(y_pred, y_true)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**evaluated(self._fn_kwargs), **super().get_config()}


def _loss_class(name: str, fn: Callable[..., Any], label: str, **defaults: Any) -> Any:
    """A class whose objects are losses by one function."""
    from inspect import Parameter, Signature

    kind = Parameter.POSITIONAL_OR_KEYWORD
    named = {**defaults, "reduction": Reduction.AUTO, "name": label}
    signature = Signature(
        [Parameter("self", kind), *(Parameter(key, kind, default=named[key]) for key in named)]
    )

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        LossFunctionWrapper.__init__(self, fn, **given)
        for key in defaults:
            setattr(self, key, given[key])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    doc = f"The loss `{fn.__name__}` as an object."
    return type(
        name, (LossFunctionWrapper,), {"__init__": __init__, "__doc__": doc, "__module__": __name__}
    )


_LOGITS = {"from_logits": False}
MeanSquaredError = _loss_class("MeanSquaredError", mse, "mean_squared_error")
MeanAbsoluteError = _loss_class("MeanAbsoluteError", mae, "mean_absolute_error")
MeanAbsolutePercentageError = _loss_class(
    "MeanAbsolutePercentageError", mape, "mean_absolute_percentage_error"
)
MeanSquaredLogarithmicError = _loss_class(
    "MeanSquaredLogarithmicError", msle, "mean_squared_logarithmic_error"
)
BinaryCrossentropy = _loss_class(
    "BinaryCrossentropy", bce, "binary_crossentropy", **_LOGITS, label_smoothing=0
)
CategoricalCrossentropy = _loss_class(
    "CategoricalCrossentropy",
    categorical_crossentropy,
    "categorical_crossentropy",
    **_LOGITS,
    label_smoothing=0,
)
SparseCategoricalCrossentropy = _loss_class(
    "SparseCategoricalCrossentropy",
    sparse_categorical_crossentropy,
    "sparse_categorical_crossentropy",
    **_LOGITS,
)
Hinge = _loss_class("Hinge", hinge, "hinge")
SquaredHinge = _loss_class("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _loss_class("CategoricalHinge", categorical_hinge, "categorical_hinge")
Poisson = _loss_class("Poisson", poisson, "poisson")
LogCosh = _loss_class("LogCosh", logcosh, "logcosh")
KLDivergence = _loss_class("KLDivergence", kld, "kullback_leibler_divergence")
Huber = _loss_class("Huber", huber_loss, "huber_loss", delta=1.0)
CosineSimilarity = _loss_class("CosineSimilarity", cosine_similarity, "cosine_similarity", axis=-1)


def serialize(loss: Any) -> Any:
    """The name of a function, or the class and configuration of an object."""
    return serialize_keras_object(loss)


def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """The loss of a name or configuration."""
    return deserialize_keras_object(name, globals(), custom_objects, "loss function")


def get(identifier: Any) -> Any:
    """A loss as it is, or of its name or configuration; None for none.

    Raises:
      ValueError: There is none of this name.
    """
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    raise ValueError("Could not interpret loss function identifier:", identifier)
