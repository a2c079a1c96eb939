"""What an exported model takes in: placeholders, and the features that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dataflow.estimation.input_results import parse_input_fn_result
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.library.public_modules import public_module
from dataflow.ops.basic.placeholder import placeholder
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_FEATURE = "feature"
_RECEIVER = "input"


class _Serving(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class ServingInputReceiver(_Serving):
    """Features, the tensors that are fed to make them, and other tensors that may be fed."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        """Checks all of them; single tensors get the names "feature" and "input".

        Args:
          features: A tensor, or a dictionary of tensors.
          receiver_tensors: A tensor, or a dictionary of tensors.
          receiver_tensors_alternatives: By name other such dictionaries.

        Raises:
          ValueError: Something is None, no tensor, or has a name that is no string.
        """
        return super().__new__(
            cls,
            features=_features(features),
            receiver_tensors=_receivers(receiver_tensors),
            receiver_tensors_alternatives=_alternatives(receiver_tensors_alternatives),
        )


class TensorServingInputReceiver(_Serving):
    """As `ServingInputReceiver`, for a model function whose features are one tensor."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        """Checks all of them.

        Raises:
          ValueError: `features` is no tensor, or the rest is not as there.
        """
        if features is None:
            raise ValueError("features must be defined.")
        if not _is_tensor(features):
            raise ValueError("feature must be a Tensor or SparseTensor.")
        return super().__new__(
            cls,
            features=features,
            receiver_tensors=_receivers(receiver_tensors),
            receiver_tensors_alternatives=_alternatives(receiver_tensors_alternatives),
        )


class _Supervised(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: Any


class SupervisedInputReceiver(_Supervised):
    """Features and labels, and the tensors that are fed to make them."""

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        """Checks all of them; what is one tensor stays one.

        Raises:
          ValueError: Something is None, or no tensor.
        """
        for value, name in ((features, "feature"), (labels, "label")):
            named_tensors(value, name)
        return super().__new__(
            cls, features=features, labels=labels, receiver_tensors=_receivers(receiver_tensors)
        )


def build_raw_serving_input_receiver_fn(
    features: Any, default_batch_size: int | None = None
) -> Callable[[], Any]:
    """A function that gives placeholders like these tensors, as features and as what is fed.

    Args:
      features: A tensor, or a dictionary of tensors, of any graph.
      default_batch_size: The first dimension of the placeholders; open if None.
    """

    def serving_input_receiver_fn() -> Any:
        fed = _placeholders(features, default_batch_size)
        if isinstance(features, Mapping):
            return ServingInputReceiver(fed, fed)
        return TensorServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """A function that gives placeholders like what an input function gives."""
    with Graph().as_default():
        features, labels, _ = parse_input_fn_result(input_fn(**input_fn_args))
    return build_raw_supervised_input_receiver_fn(features, labels)


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """As `build_raw_serving_input_receiver_fn`, with labels.

    Raises:
      ValueError: A feature and a label have one name.
    """
    if isinstance(features, Mapping) and isinstance(labels, Mapping):
        common = set(features) & set(labels)
        if common:
            raise ValueError(
                f"Features and labels must have distinct keys. Found overlapping keys: {common}"
            )

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        x, y = (_placeholders(each, default_batch_size) for each in (features, labels))
        fed = {
            **(x if isinstance(x, Mapping) else {_RECEIVER: x}),
            **(y if isinstance(y, Mapping) else {"label": y}),
        }
        return SupervisedInputReceiver(x, y, fed)

    return supervised_input_receiver_fn


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A function that takes serialized `tf.Example`s and parses their features.

    Args:
      feature_spec: By name what `tf.io.parse_example` is to take.
      default_batch_size: How many examples are fed; open if None.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = placeholder(
            dtypes.string, shape=[default_batch_size], name="input_example_tensor"
        )
        features = public_module("io").parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return serving_input_receiver_fn


def _placeholders(features: Any, batch_size: int | None) -> Any:
    if not isinstance(features, Mapping):
        return _placeholder_like(features, batch_size)
    return {name: _placeholder_like(each, batch_size) for name, each in features.items()}


def _placeholder_like(value: Any, batch_size: int | None) -> Tensor:
    # Features have names that nodes cannot have.
    shape = TensorShape([batch_size]).concatenate(value.shape[1:])
    return placeholder(value.dtype.base_dtype, shape=shape, name=value.op.name)


def _features(features: Any) -> Any:
    if features is None:
        raise ValueError("features must be defined.")
    return named_tensors(features, _FEATURE)


def _receivers(tensors: Any) -> Any:
    if tensors is None:
        raise ValueError("receiver_tensors must be defined.")
    named = tensors if isinstance(tensors, Mapping) else {_RECEIVER: tensors}
    for name, value in named.items():
        _check_name(name, "receiver_tensors")
        if not isinstance(value, Tensor):
            raise ValueError(f"receiver_tensor {name} must be a Tensor.")
    return named


def _alternatives(alternatives: Any) -> Any:
    if alternatives is None:
        return None
    if not isinstance(alternatives, Mapping):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")
    return {name: _receivers(each) for name, each in alternatives.items()}


def named_tensors(values: Any, single: str) -> Any:
    """Tensors by name; one that has none is called `single`.

    Raises:
      ValueError: There is none, a name is no string, or a value no tensor.
    """
    if values is None:
        raise ValueError(f"{single}s must be defined.")
    named = values if isinstance(values, Mapping) else {single: values}
    for name, value in named.items():
        _check_name(name, single)
        if not _is_tensor(value):
            raise ValueError(f"{single} {name} must be a Tensor or SparseTensor.")
    return named


def _check_name(name: Any, of: str) -> None:
    if not isinstance(name, str):
        raise ValueError(f"{of} keys must be strings: {name}.")


def _is_tensor(value: Any) -> bool:
    parts = [getattr(value, name, None) for name in ("values", "indices", "dense_shape")]
    return isinstance(value, Tensor) or all(isinstance(part, Tensor) for part in parts)
