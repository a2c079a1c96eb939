"""tensorflow.python.keras.testing_utils: small models of each type, and the modes of tests."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from dataflow import keras
from dataflow.keras.engine import policy
from dataflow.porting.spellings.keras.layers_of_tests import layer_test as layer_test

_settings: Final = threading.local()


@contextmanager
def _scope(name: str, value: Any) -> Iterator[Any]:
    before = getattr(_settings, name, None)
    setattr(_settings, name, value)
    try:
        yield value
    finally:
        setattr(_settings, name, before)


def model_type_scope(value: str) -> Any:
    """Within it, models that are asked for are of a type.

    Args:
      value: "functional", "subclass", "subclass_custom_build" or "sequential".
    """
    return _scope("model_type", value)


def run_eagerly_scope(value: bool) -> Any:
    """Within it, `should_run_eagerly` may be asked."""
    return _scope("run_eagerly", value)


def experimental_run_tf_function_scope(value: bool) -> Any:
    """Within it, `should_run_tf_function` may be asked."""
    return _scope("run_tf_function", value)


def enable_v2_dtype_behavior(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test with layers that compute in the type of floats unless they are told another."""
    return _with_dtypes(fn, policy.enable_v2_dtype_behavior)


def disable_v2_dtype_behavior(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test with layers that take the type of their first input unless they are told one."""
    return _with_dtypes(fn, policy.disable_v2_dtype_behavior)


def _with_dtypes(fn: Callable[..., Any], settle: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        was_enabled = policy.v2_dtype_behavior_enabled()
        settle()
        try:
            return fn(*args, **kwargs)
        finally:
            if was_enabled:
                policy.enable_v2_dtype_behavior()
            else:
                policy.disable_v2_dtype_behavior()

    return run


def _told(name: str, asked: str, scope: str, decorator: str) -> Any:
    value = getattr(_settings, name, None)
    if value is None:
        raise ValueError(
            f"Cannot call `{asked}()` outside of a `{scope}()` or `{decorator}` decorator."
        )
    return value


def should_run_eagerly() -> bool:
    """False: models run in sessions.

    Raises:
      ValueError: No test of Keras' modes is running.
    """
    _told("run_eagerly", "should_run_eagerly", "run_eagerly_scope", "run_all_keras_modes")
    return False


def should_run_tf_function() -> bool:
    """False: models run in sessions.

    Raises:
      ValueError: No test of Keras' modes is running.
    """
    _told(
        "run_tf_function",
        "should_run_tf_function",
        "experimental_run_tf_function_scope",
        "run_all_keras_modes",
    )
    return False


def get_model_type() -> str:
    """The type of the models that are tested.

    Raises:
      ValueError: No test of models' types is running.
    """
    return str(
        _told("model_type", "get_model_type", "model_type_scope", "run_with_all_model_types")
    )


def get_test_data(
    train_samples: int,
    test_samples: int,
    input_shape: tuple[int, ...],
    num_classes: int,
    random_seed: int | None = None,
) -> Any:
    """Points around a centre for each class: `(x_train, y_train), (x_test, y_test)`."""
    if random_seed is not None:
        np.random.seed(random_seed)
    count = train_samples + test_samples
    centres = 2 * num_classes * np.random.random((num_classes, *input_shape))
    y = np.random.randint(0, num_classes, size=(count,))
    x = (centres[y] + np.random.normal(size=(count, *input_shape))).astype(np.float32)
    return (x[:train_samples], y[:train_samples]), (x[train_samples:], y[train_samples:])


class _InARow(keras.Model):
    """A program's own class of model: layers, one behind the other."""

    def __init__(
        self,
        layers: Any = (),
        name: str | None = None,
        input_tensor: Any = None,
        made_in_build: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(name=name)
        self._made_in_build = made_in_build
        self.num_layers = 0
        self._take(layers)
        if input_tensor is not None:
            self._set_inputs(input_tensor)

    def _take(self, layers: Any) -> None:
        for place, layer in enumerate(layers):
            setattr(self, f"layer{place}", layer)
        self.num_layers = len(layers)

    def build(self, input_shape: Any) -> None:
        """Takes the layers, if they are made here."""
        if self._made_in_build is not None:
            self._take(list(self._made_in_build()))
        else:
            super().build(input_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """What the last layer gives."""
        for place in range(self.num_layers):
            inputs = getattr(self, f"layer{place}")(inputs)
        return inputs


def _small(num_hidden: int, num_classes: int, **first: Any) -> list[Any]:
    activation = "sigmoid" if num_classes == 1 else "softmax"
    return [
        keras.layers.Dense(num_hidden, activation="relu", **first),
        keras.layers.Dense(num_classes, activation=activation),
    ]


def get_small_sequential_mlp(
    num_hidden: int, num_classes: int, input_dim: int | None = None
) -> Any:
    """A hidden layer and one of classes, as a `Sequential`."""
    first = {"input_dim": input_dim} if input_dim else {}
    return keras.Sequential(_small(num_hidden, num_classes, **first))


def get_small_functional_mlp(num_hidden: int, num_classes: int, input_dim: int) -> Any:
    """The same as a `Model` of tensors."""
    inputs = outputs = keras.Input(shape=(input_dim,))
    for layer in _small(num_hidden, num_classes):
        outputs = layer(outputs)
    return keras.Model(inputs, outputs)


def get_small_subclass_mlp(num_hidden: int, num_classes: int) -> Any:
    """The same as an own class."""
    return _InARow(_small(num_hidden, num_classes))


def get_small_subclass_mlp_with_custom_build(num_hidden: int, num_classes: int) -> Any:
    """The same as an own class that makes its layers in `build`."""
    return _InARow(made_in_build=lambda: _small(num_hidden, num_classes))


def get_small_mlp(num_hidden: int, num_classes: int, input_dim: int) -> Any:
    """The same, of the type that is tested.

    Raises:
      ValueError: There is no such type.
    """
    kind = get_model_type()
    if kind == "subclass":
        return get_small_subclass_mlp(num_hidden, num_classes)
    if kind == "subclass_custom_build":
        return get_small_subclass_mlp_with_custom_build(num_hidden, num_classes)
    if kind == "sequential":
        return get_small_sequential_mlp(num_hidden, num_classes, input_dim)
    if kind == "functional":
        return get_small_functional_mlp(num_hidden, num_classes, input_dim)
    raise ValueError(f"Unknown model type {kind}")


def get_model_from_layers(
    layers: Any,
    input_shape: Any = None,
    input_dtype: Any = None,
    name: str | None = None,
    input_ragged: bool | None = None,
    input_sparse: bool | None = None,
) -> Any:
    """A model of layers in a row, of the type that is tested.

    Args:
      layers: The layers.
      input_shape: Of a sample.
      input_dtype: Element type of the input.
      name: Of the model.
      input_ragged: Whether the input is ragged.
      input_sparse: Whether it is sparse.

    Raises:
      ValueError: A functional model has no `input_shape`, or there is no such type.
    """
    kind = get_model_type()
    options = {"dtype": input_dtype, "ragged": input_ragged, "sparse": input_sparse}
    if kind == "subclass":
        special = input_ragged or input_sparse
        tensor = keras.Input(shape=input_shape, **options) if special else None
        return _InARow(layers, name=name, input_tensor=tensor)
    if kind == "subclass_custom_build":
        return _InARow(name=name, made_in_build=lambda: layers)
    if kind == "sequential":
        model = keras.Sequential(name=name)
        if input_shape:
            model.add(keras.layers.InputLayer(input_shape=input_shape, **options))
        for layer in layers:
            model.add(layer)
        return model
    if kind == "functional":
        if not input_shape:
            raise ValueError("Cannot create a functional model from layers with no input shape.")
        inputs = outputs = keras.Input(shape=input_shape, **options)
        for layer in layers:
            outputs = layer(outputs)
        return keras.Model(inputs, outputs, name=name)
    raise ValueError(f"Unknown model type {kind}")


def _branches(
    inputs: Any, branch_a: Any, branch_b: Any, shared_input: Any, shared_output: Any
) -> Any:
    if shared_input:
        for layer in shared_input:
            inputs = layer(inputs)
        a = b = inputs
    else:
        a, b = inputs
    for layer in branch_a:
        a = layer(a)
    for layer in branch_b:
        b = layer(b)
    outputs: Any = [a, b]
    for layer in shared_output or ():
        outputs = layer(outputs)
    return outputs


class _Branched(keras.Model):
    """A program's own class of model, of two branches."""

    def __init__(self, make: Callable[[], Any], in_build: bool) -> None:
        super().__init__()
        self._make, self._in_build = make, in_build
        self._parts: Any = None
        if not in_build:
            self._parts = make()

    def build(self, input_shape: Any) -> None:
        """Takes the branches, if they are made here."""
        if self._in_build:
            self._parts = self._make()
        else:
            super().build(input_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """What the branches give, or the layers behind them."""
        return _branches(inputs, *self._parts)


def get_multi_io_model(
    branch_a: Any, branch_b: Any, shared_input_branch: Any = None, shared_output_branch: Any = None
) -> Any:
    """A model of two branches, of the type that is tested.

    Args:
      branch_a: Layers; the first is an `Input` unless inputs are shared.
      branch_b: The same.
      shared_input_branch: Layers in front of both, the first an `Input`, or None.
      shared_output_branch: Layers that take both outputs, or None.

    Raises:
      ValueError: There is no such model of that type.
    """
    if shared_input_branch:
        inputs, *shared_input_branch = shared_input_branch
    else:
        (first, *branch_a), (second, *branch_b) = branch_a, branch_b
        inputs = first, second
    parts = branch_a, branch_b, shared_input_branch, shared_output_branch
    kind = get_model_type()
    if kind in ("subclass", "subclass_custom_build"):
        return _Branched(lambda: parts, kind == "subclass_custom_build")
    if kind == "sequential":
        raise ValueError("Cannot use `get_multi_io_model` to construct sequential models")
    if kind == "functional":
        return keras.Model(inputs, _branches(inputs, *parts))
    raise ValueError(f"Unknown model type {kind}")


def get_v2_optimizer(name: str, **kwargs: Any) -> Any:
    """An optimizer of tf.keras.

    Raises:
      ValueError: There is none of that name.
    """
    known = {
        each.lower(): getattr(keras.optimizers, each)
        for each in ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "RMSprop", "SGD")
    }
    if name not in known:
        raise ValueError(
            f"Could not find requested v2 optimizer: {name}\nValid choices: {list(known)}"
        )
    return known[name](**kwargs)


def get_expected_metric_variable_names(var_names: Any, name_suffix: str = "") -> list[str]:
    """The names of variables in a graph, which makes names unique by a suffix."""
    return [f"{each}{name_suffix}:0" for each in var_names]
