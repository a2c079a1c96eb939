"""tensorflow.python.keras.model_subclassing_test_util: small classes of models."""

from __future__ import annotations

from typing import Any

from dataflow import keras

_layers: Any = keras.layers


class SimpleTestModel(keras.Model):
    """Two layers, dropout and normalization between them if asked for."""

    def __init__(self, use_bn: bool = False, use_dp: bool = False, num_classes: int = 10) -> None:
        super().__init__(name="test_model")
        self.use_bn, self.use_dp, self.num_classes = use_bn, use_dp, num_classes
        self.dense1 = _layers.Dense(32, activation="relu")
        self.dense2 = _layers.Dense(num_classes, activation="softmax")
        if use_dp:
            self.dp = _layers.Dropout(0.5)
        if use_bn:
            self.bn = _layers.BatchNormalization(axis=-1)

    def call(self, x: Any) -> Any:  # type: ignore[override]
        """Chances of classes."""
        x = self.dense1(x)
        x = self.dp(x) if self.use_dp else x
        return self.dense2(self.bn(x) if self.use_bn else x)


class SimpleConvTestModel(keras.Model):
    """A convolution, and a layer behind it."""

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__(name="test_model")
        self.num_classes = num_classes
        self.conv1 = _layers.Conv2D(32, (3, 3), activation="relu")
        self.flatten = _layers.Flatten()
        self.dense1 = _layers.Dense(num_classes, activation="softmax")

    def call(self, x: Any) -> Any:  # type: ignore[override]
        """Chances of classes."""
        return self.dense1(self.flatten(self.conv1(x)))


class MultiIOTestModel(keras.Model):
    """One layer on two inputs, and one behind each."""

    def __init__(
        self, use_bn: bool = False, use_dp: bool = False, num_classes: tuple[int, int] = (2, 3)
    ) -> None:
        super().__init__(name="test_model")
        self.use_bn, self.use_dp, self.num_classes = use_bn, use_dp, num_classes
        self.dense1 = _layers.Dense(32, activation="relu")
        self.dense2 = _layers.Dense(num_classes[0], activation="softmax")
        self.dense3 = _layers.Dense(num_classes[1], activation="softmax")
        if use_dp:
            self.dp = _layers.Dropout(0.5)
        if use_bn:
            self.bn = _layers.BatchNormalization()

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Chances of classes, of each input."""
        first, second = (self.dense1(each) for each in inputs)
        first = self.dp(first) if self.use_dp else first
        second = self.bn(second) if self.use_bn else second
        return [self.dense2(first), self.dense3(second)]


class NestedTestModel1(keras.Model):
    """A class of a model with another in it."""

    def __init__(self, num_classes: int = 2) -> None:
        super().__init__(name="nested_model_1")
        self.num_classes = num_classes
        self.dense1 = _layers.Dense(32, activation="relu")
        self.dense2 = _layers.Dense(num_classes, activation="relu")
        self.bn = _layers.BatchNormalization()
        self.test_net = SimpleTestModel(num_classes=4, use_bn=True, use_dp=True)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """What the last layer gives."""
        return self.dense2(self.test_net(self.bn(self.dense1(inputs))))


class NestedTestModel2(keras.Model):
    """A class of a model with one of tensors in it."""

    def __init__(self, num_classes: int = 2) -> None:
        super().__init__(name="nested_model_2")
        self.num_classes = num_classes
        self.dense1 = _layers.Dense(32, activation="relu")
        self.dense2 = _layers.Dense(num_classes, activation="relu")
        self.bn = _layers.BatchNormalization()
        self.test_net = self.get_functional_graph_model(32, 4)

    @staticmethod
    def get_functional_graph_model(input_dim: int, num_classes: int) -> Any:
        """A model of tensors."""
        inputs = keras.Input(shape=(input_dim,))
        x = _layers.BatchNormalization()(_layers.Dense(32, activation="relu")(inputs))
        return keras.Model(inputs, _layers.Dense(num_classes)(x))

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """What the last layer gives."""
        return self.dense2(self.test_net(self.bn(self.dense1(inputs))))


class _Inner(keras.Model):
    def __init__(self) -> None:
        super().__init__(name="inner")
        self.dense1 = _layers.Dense(32, activation="relu")
        self.dense2 = _layers.Dense(5, activation="relu")
        self.bn = _layers.BatchNormalization()

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        return self.bn(self.dense2(self.dense1(inputs)))


def get_nested_model_3(input_dim: int, num_classes: int) -> Any:
    """A model of tensors with a class of a model in it."""
    inputs = keras.Input(shape=(input_dim,))
    x = _layers.BatchNormalization()(_layers.Dense(32, activation="relu")(inputs))
    outputs = _layers.Dense(num_classes)(_Inner()(x))
    return keras.Model(inputs, outputs, name="nested_model_3")


class CustomCallModel(keras.Model):
    """A class of a model whose `call` takes more than one tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.dense1 = _layers.Dense(1, activation="relu")
        self.dense2 = _layers.Dense(1, activation="softmax")

    def call(  # type: ignore[override]
        self, first: Any, second: Any, fiddle_with_output: str = "no", training: Any = True
    ) -> Any:
        """The sum of both layers, or ten times that."""
        both = self.dense1(first) + self.dense2(second)
        return 10.0 * both if fiddle_with_output == "yes" else both


class TrainingNoDefaultModel(keras.Model):
    """A class of a model whose `training` has no default."""

    def __init__(self) -> None:
        super().__init__()
        self.dense1 = _layers.Dense(1)

    def call(self, x: Any, training: Any) -> Any:  # type: ignore[override]
        """What the layer gives."""
        return self.dense1(x)


class TrainingMaskingModel(keras.Model):
    """A class of a model that takes a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.dense1 = _layers.Dense(1)

    def call(self, x: Any, training: Any = False, mask: Any = None) -> Any:
        """What the layer gives."""
        return self.dense1(x)
