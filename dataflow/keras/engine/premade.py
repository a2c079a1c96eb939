"""Models that are written already: a linear one, and one that stands beside a net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.keras import activations, initializers, layers, ops, optimizers, regularizers
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.training import Model
from dataflow.keras.objects import serialize_keras_object


class LinearModel(Model):
    """The sum of weighted inputs, and a bias.

    Args:
      units: How many numbers it gives.
      activation: Function of the outputs, or its name.
      use_bias: Whether there is a bias.
      kernel_initializer: What gives the weights, or its name.
      bias_initializer: What gives the bias, or its name.
      kernel_regularizer: Makes a loss of the weights.
      bias_regularizer: Makes a loss of the bias.
      **kwargs: See `Model`.
    """

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.dense_layers: list[Any] = []
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights of each input, and the bias."""
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        # A list of sizes is the shape of one input.
        if shapes and not isinstance(shapes[0], (tuple, list, ops.TensorShape)):
            shapes = [input_shape]
        self.dense_layers = [
            layers.Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
                input_shape=tuple(ops.TensorShape(shape).as_list()),
            )
            for shape in shapes
        ]
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """The outputs for an input, or a list of inputs.

        Raises:
          ValueError: There are more or fewer than the model was built for.
        """
        given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        if len(given) != len(self.dense_layers):
            raise ValueError(
                f"Expected {len(self.dense_layers)} inputs, but got {len(given)} inputs"
            )
        result: Any = None
        for each, layer in zip(given, self.dense_layers, strict=True):
            output = layer(each)
            result = output if result is None else result + output
        if self.use_bias:
            result = ops.bias_add(result, self.bias)
        return result if self.activation is None else self.activation(result)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            **Layer._base_config(self),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A model of what `get_config` gave."""
        return cls(**config)


class WideDeepModel(Model):
    """The mean of a linear model and a net, each with an optimizer if two are given.

    Args:
      linear_model: A `LinearModel`.
      dnn_model: A model whose outputs have the same shape.
      activation: Function of the outputs, or its name.
      **kwargs: See `Model`.
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """The outputs for a pair of inputs, or for what both models take."""
        of_linear = of_net = inputs
        if isinstance(inputs, (tuple, list)) and len(inputs) == 2:
            of_linear, of_net = inputs
        output = 0.5 * (self.linear_model(of_linear) + self.dnn_model(of_net))
        return output if self.activation is None else self.activation(output)

    def _found_optimizer(self, optimizer: Any) -> Any:
        if isinstance(optimizer, (tuple, list)):
            if len(optimizer) < 2:
                raise ValueError(
                    "WideDeepModel takes one optimizer, or one for the linear model and one for "
                    f"the net. Given: {optimizer}"
                )
            return [optimizers.get(each) for each in optimizer]
        return optimizers.get(optimizer)

    def _optimizer_updates(self) -> list[Any]:
        pair = self.optimizer if isinstance(self.optimizer, list) else [self.optimizer] * 2
        made = []
        for optimizer, model in zip(pair, (self.linear_model, self.dnn_model), strict=True):
            made += optimizer.get_updates(params=model.trainable_weights, loss=self.total_loss)
        return made

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            **Layer._base_config(self),
            "linear_model": serialize_keras_object(self.linear_model),
            "dnn_model": serialize_keras_object(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Any = None) -> Any:
        """A model of what `get_config` gave."""
        known = {"LinearModel": LinearModel, **(custom_objects or {})}
        given = dict(config)
        for key in ("linear_model", "dnn_model"):
            given[key] = layers.deserialize(given[key], known)
        given["activation"] = activations.deserialize(given.get("activation"), custom_objects)
        return cls(**given)


def terminate_keras_multiprocessing_pools(
    grace_period: float = 0.1, use_sigkill: bool = False
) -> list[str]:
    """What went wrong when the processes that make batches were ended: nothing, there are none.

    Generators and `Sequence`s are asked for batches by the process that trains, whatever `workers`
    and `use_multiprocessing` say.

    Args:
      grace_period: Seconds that processes would have.
      use_sigkill: Whether they would be killed after that.
    """
    return []
