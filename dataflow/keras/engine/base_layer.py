"""Layer of tf.keras: named scopes, masks, training, and calls that models are made of."""

from __future__ import annotations

import inspect
from typing import Any

import dataflow.library.layers.base as library
from dataflow.keras import backend, constraints, initializers, ops, regularizers
from dataflow.keras.arguments import config_of
from dataflow.keras.engine import autocast, context
from dataflow.keras.engine.history import create_keras_history, needs_keras_history
from dataflow.keras.engine.holding import Holding
from dataflow.keras.engine.measured import Measured
from dataflow.keras.engine.node import KerasHistory, Node, history_of
from dataflow.keras.engine.policy import (
    Policy,
    policy_of,
    v2_dtype_behavior_enabled,
    with_input_dtype,
)
from dataflow.library.autograph.by_need import called_by_need
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.layers.dependence import dependent
from dataflow.library.layers.input_spec import InputSpec, check_inputs
from dataflow.library.layers.layer import count_as
from dataflow.library.layers.module import Module
from dataflow.library.layers.naming import class_name
from dataflow.library.layers.tracked import Tracked, made_of, once, tensors_of
from dataflow.values import dtypes, nest
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization

_FURTHER = (
    "input_shape",
    "batch_input_shape",
    "batch_size",
    "weights",
    "activity_regularizer",
    "autocast",
    "input_dtype",
)


def unique_name(prefix: str) -> str:
    """The prefix for the first that asks in this graph, then the prefix with 1, 2, ..."""
    count = backend.get_uid(prefix) - 1
    return f"{prefix}_{count}" if count else prefix


class Layer(Measured, Holding, library.BaseLayer):
    """The base of layers: makes variables in `build` and operations in `call`.

    A call opens a name scope of the layer's name. A call on tensors of `Input` or of other layers
    is remembered, so that a `Model` can be made of them.

    Args:
      trainable: Whether the layer's variables are trained.
      name: Its name; by default that of its class, made unique.
      dtype: Element type of the variables, or a `Policy`; the global policy if None, which takes
        the type of the first input.
      dynamic: Not supported but as False.
      **kwargs: `input_shape`, `batch_input_shape`, `batch_size`: of the first layer of a
        `Sequential`; `weights`: initial values of the variables; `activity_regularizer`: makes a
        loss of each output; `autocast`: whether inputs of floats are cast to the policy's type.

    Raises:
      TypeError: There is no such argument.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in _FURTHER:
                raise TypeError("Keyword argument not understood:", key)
        known = regularizers.get(kwargs.pop("activity_regularizer", None))
        policy = policy_of(dtype)
        super().__init__(
            trainable,
            name or unique_name(class_name(type(self))),
            policy.variable_dtype,
            activity_regularizer=known,
        )
        self._dtype_policy = policy
        self._autocast = kwargs.get("autocast", v2_dtype_behavior_enabled())
        # A layer of tf.keras names its variables by itself.
        self._keras_style = False
        self.supports_masking = getattr(type(self), "supports_masking", False)
        self._dynamic = dynamic
        self._initial_weights = kwargs.get("weights")
        if "batch_input_shape" in kwargs:
            self._batch_input_shape: Any = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            shape = kwargs["input_shape"]
            inner = (shape,) if isinstance(shape, int) else tuple(shape)
            self._batch_input_shape = (kwargs.get("batch_size"), *inner)
        found = inspect.getfullargspec(self.call)
        self._self_call_names = [*found.args[1:], *found.kwonlyargs]
        self._takes_any = found.varkw is not None

    @property
    def _call_fn_args(self) -> list[str]:
        return list(self._self_call_names)

    @property
    def _compute_dtype(self) -> str | None:
        """Name of the element type that it computes with; None before it is known."""
        return self._dtype_policy.compute_dtype or self._dtype

    _input_spec: Any
    _is_legacy_layer = False
    with_name_scope = vars(Module)["with_name_scope"]

    @property
    def name_scope(self) -> Any:
        """The name scope of the layer, to be entered again."""
        return ops.name_scope(self._name_scope())

    @property
    def input_spec(self) -> Any:
        """What the layer asks of its inputs: an `InputSpec`, a structure of them, or None."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        for each in nest.flatten(value):
            if each is not None and not isinstance(each, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {each}")
        object.__setattr__(self, "_input_spec", value)

    @property
    def trainable(self) -> bool:
        """Whether the layer's variables, and those of layers in it, are trained."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        for each in self._self_sublayers():
            each.trainable = value

    @property
    def dynamic(self) -> bool:
        """Whether it or a layer in it asks for eager execution, so that no model can train it."""
        return self._dynamic or any(
            getattr(each, "dynamic", False) for each in self._self_sublayers()
        )

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        if not self.trainable:
            return []
        inner = [w for each in self._self_sublayers() for w in each.trainable_weights]
        return once([*self._trainable_weights, *inner])

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        if self.trainable:
            inner = [w for each in self._self_sublayers() for w in each.non_trainable_weights]
            return once([*self._non_trainable_weights, *inner])
        inner = [w for each in self._self_sublayers() for w in each.weights]
        return once([*self._trainable_weights, *self._non_trainable_weights, *inner])

    @property
    def losses(self) -> list[Any]:
        """Losses of the outputs, those of the variables, which are new each time, and of layers."""
        own = [*self._losses, *made_of(self._callable_losses)]
        return [*own, *(loss for each in self._self_sublayers() for loss in each.losses)]

    @property
    def updates(self) -> list[Any]:
        """Operations that update variables besides training."""
        if not self.trainable and not self.stateful:
            return []
        return [*self._updates, *(made for each in self._self_sublayers() for made in each.updates)]

    def _is_unconditional(self, item: Any) -> bool:
        return super()._is_unconditional(item) or any(
            each._is_unconditional(item) for each in self._self_sublayers()
        )

    def _of_inputs(self, items: list[Any], inputs: Any) -> list[Any]:
        if inputs is None:
            return [each for each in items if self._is_unconditional(each)]
        conditional = [each for each in items if not self._is_unconditional(each)]
        return dependent(conditional, tensors_of(inputs))

    def _known_inputs(self) -> list[Any]:
        # A cell is called by its layer, so that it knows of no call of its own.
        return self._self_open_calls[-1:] or context.inputs_of_caller() or super()._known_inputs()

    # Those of the layers of tf.layers go into a collection, too.
    add_loss = Tracked.add_loss

    def _self_loss_dtype(self) -> str:
        return backend.floatx()

    def add_weight(  # type: ignore[override]
        self,
        name: Any = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        partitioner: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Any:
        """A new variable of the layer.

        Args:
          name: Its name, within the name scope that is open.
          shape: Its shape; a scalar's if None.
          dtype: Element type; the layer's, or else the type of floats, if None.
          initializer: What gives the initial value, or a name; by default `glorot_uniform` for
            floats, zeros for others.
          regularizer: Makes a loss of it.
          trainable: Whether it is trained; by default unless it is synchronized when it is read.
          constraint: Function that optimizers apply to it after an update, or its name.
          partitioner: Not used.
          use_resource: False for a reference variable.
          synchronization: See `tf.Variable`.
          aggregation: See `tf.Variable`.
          **kwargs: `getter`, `collections`, `experimental_autocast`: False for a variable that is
            read as it is, whatever the policy says.

        Raises:
          TypeError: There is no such argument.
          ValueError: There is no initializer for this type, or `trainable` does not go with
            ON_READ.
        """
        for key in kwargs:
            if key not in ("getter", "collections", "experimental_autocast"):
                raise TypeError("Unknown keyword argument:", key)
        kind = dtypes.as_dtype(dtype or self.dtype or backend.floatx())
        if self._dtype is None:
            self._dtype_policy = Policy(kind.base_dtype.name)
            self._dtype = kind.base_dtype.name
        initializer = initializers.get(initializer)
        if synchronization == VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        if initializer is None:
            if kind.is_floating:
                initializer = initializers.get("glorot_uniform")
            elif kind.is_integer or kind == dtypes.bool:
                initializer = initializers.get("zeros")
            else:
                raise ValueError(
                    f"An initializer for variable {name} of type {kind} is required for layer "
                    f"{self.name}"
                )
        sizes = () if shape is None else tuple(ops.TensorShape(shape).as_list())
        trained = trainable is None or trainable
        variable = ops.Variable(
            lambda: initializer(sizes, dtype=kind),
            name=name or "Variable",
            trainable=trained,
            dtype=kind,
            constraint=constraints.get(constraint),
            use_resource=use_resource is None or use_resource,
            collections=kwargs.get("collections"),
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if kwargs.get("experimental_autocast", True) and self._dtype_policy.should_cast_variables:
            autocast.cast_where_read(variable)
        backend.track_variable(variable)
        if name:
            self._track_trackable(variable, name, overwrite=True)
        (self._trainable_weights if trained else self._non_trainable_weights).append(variable)
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self._self_regularized(variable.op.name, variable, regularizer)
        return variable

    def get_weights(self) -> list[Any]:
        """The values of all variables."""
        return backend.batch_get_value(self.weights)

    def _set_values(self, values: list[tuple[Any, Any]]) -> None:
        backend.batch_set_value(values)

    def compute_output_signature(self, input_signature: Any) -> Any:
        """Shape and element type of the outputs for inputs of some.

        Args:
          input_signature: A `tf.TensorSpec`, or a structure of them.

        Raises:
          TypeError: Something in it is no `tf.TensorSpec`.
        """
        flat = nest.flatten(input_signature)
        for each in flat:
            if not isinstance(each, TensorSpec):
                raise TypeError(
                    "Only TensorSpec signature types are supported, but saw signature signature "
                    f"entry: {each}."
                )
        shapes = self.compute_output_shape(
            nest.map_structure(lambda each: each.shape, input_signature)
        )
        dtype = self._compute_dtype or flat[0].dtype
        return nest.map_structure(lambda each: TensorSpec(each, dtype), shapes)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs: that of the inputs, if the layer supports masks.

        Raises:
          TypeError: There is one, and it does not.
        """
        if not self.supports_masking:
            if any(each is not None for each in nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: "
                    f"{mask}"
                )
            return None
        return mask

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for inputs; the first call makes the variables.

        Args:
          inputs: Tensors, or what converts to them.
          *args: For `call`.
          **kwargs: For `call`. `training` and `mask`, if it takes them, come from the calling
            layer and from what the inputs carry unless they are given.

        Raises:
          ValueError: An input is not as `input_spec` asks, or `call` returns None.
        """
        inputs = nest.map_structure(library._as_tensor, inputs)
        given = {**dict(zip(self._self_call_names[1:], args, strict=False)), **kwargs}
        added: dict[str, Any] = {}
        masks = self._self_masks_of(inputs, given)
        if "mask" in self._self_call_names and masks is not None and given.get("mask") is None:
            added["mask"] = masks
        training = given.get("training")
        if training is None:
            training = context.training_of_caller()
            if training is None and backend.global_learning_phase_is_set():
                training = backend.learning_phase()
            if training is not None and "training" in self._self_call_names:
                if isinstance(training, ops.Tensor):
                    training = ops.cast(training, dtypes.bool)
                added["training"] = training
        elif "training" not in self._self_call_names and not self._takes_any:
            given.pop("training")
        if not context.in_call() and needs_keras_history(inputs):
            create_keras_history(inputs)
        with (
            context.calling(training, inputs),
            self._self_calling(inputs),
            ops.name_scope(self._name_scope()),
        ):
            check_inputs(self.input_spec, inputs, self.name)
            if not self.built:
                self._self_build_for(inputs)
            kind = self._compute_dtype
            taken = autocast.cast_inputs(inputs, kind) if self._autocast else inputs
            with autocast.reading_as(kind):
                outputs = called_by_need(self.call, taken, **{**given, **added})
            if outputs is None:
                raise ValueError(
                    "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                    f"(layer: {self.name})."
                )
            outputs = self._self_connected(inputs, outputs, given)
            self._regularize_activity(inputs, outputs)
            self._pass_masks(inputs, outputs, masks)
        if not context.in_call():
            backend.restore_new_variables()
        return outputs

    def _name_scope(self) -> str:
        return self.name

    def _self_masks_of(self, inputs: Any, given: dict[str, Any]) -> Any:
        """The masks of the inputs in their structure, or None if there is none."""
        if given.get("mask") is not None:
            return given["mask"]
        masks = [getattr(each, "_keras_mask", None) for each in nest.flatten(inputs)]
        if all(each is None for each in masks):
            return None
        return nest.pack_sequence_as(inputs, masks)

    def _self_build_for(self, inputs: Any) -> None:
        first: Any = next(iter(nest.flatten(inputs)), None)
        policy = self._dtype_policy
        knows = policy.compute_dtype or self._dtype not in (None, policy.variable_dtype)
        if not knows and hasattr(first, "dtype"):
            self._dtype_policy = with_input_dtype(policy, first.dtype.base_dtype)
        super()._self_build_for(inputs)
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _self_connected(self, inputs: Any, outputs: Any, arguments: dict[str, Any]) -> Any:
        """The outputs, remembered with the inputs if those are tensors of layers."""
        if not all(history_of(each) is not None for each in nest.flatten(inputs)):
            if not self._self_calls:
                self._self_keep_call(inputs, outputs)
            return outputs
        taken = {id(each) for each in nest.flatten(inputs)}
        outputs = nest.map_structure(
            lambda each: ops.identity(each) if id(each) in taken else each, outputs
        )
        self._add_inbound_node(inputs, outputs, arguments)
        return outputs

    def _add_inbound_node(
        self, input_tensors: Any, output_tensors: Any, arguments: dict[str, Any] | None = None
    ) -> None:
        if not self._inbound_nodes:
            self._self_calls.clear()
        index = len(self._inbound_nodes)
        Node(self, input_tensors, output_tensors, dict(arguments or {}))
        for place, tensor in enumerate(nest.flatten(output_tensors)):
            tensor._keras_history = KerasHistory(self, index, place)
        self._self_keep_call(input_tensors, output_tensors)

    def _pass_masks(self, inputs: Any, outputs: Any, masks: Any) -> None:
        made = nest.flatten(outputs)
        if getattr(self, "_compute_output_and_mask_jointly", False):
            return
        own = type(self).compute_mask is not Layer.compute_mask
        if not (own or self.supports_masking):
            return
        found = self.compute_mask(inputs, masks)
        flat = nest.flatten(found) if found is not None else [None] * len(made)
        for tensor, mask in zip(made, flat, strict=False):
            try:
                tensor._keras_mask = mask
            except AttributeError:
                pass

    @property
    def input_mask(self) -> Any:
        """The mask of the input of the only call."""
        return nest.map_structure(lambda each: getattr(each, "_keras_mask", None), self.input)

    @property
    def output_mask(self) -> Any:
        """The mask of the output of the only call."""
        return nest.map_structure(lambda each: getattr(each, "_keras_mask", None), self.output)

    def get_input_mask_at(self, node_index: int) -> Any:
        """The masks of the inputs of one of the calls."""
        inputs = self.get_input_at(node_index)
        return nest.map_structure(lambda each: getattr(each, "_keras_mask", None), inputs)

    def get_output_mask_at(self, node_index: int) -> Any:
        """The masks of the outputs of one of the calls."""
        outputs = self.get_output_at(node_index)
        return nest.map_structure(lambda each: getattr(each, "_keras_mask", None), outputs)

    @property
    def inbound_nodes(self) -> list[Node]:
        """The calls of the layer."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Node]:
        """The calls of layers on its outputs."""
        return self._outbound_nodes

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes the layer of again.

        Raises:
          NotImplementedError: A class of a program's own takes arguments and does not tell them.
        """
        config = self._base_config()
        own = config_of(self)
        further = [
            each for each in inspect.getfullargspec(type(self).__init__).args if each != "dynamic"
        ][1:]
        if type(self).get_config is Layer.get_config and set(further) - config.keys() - own.keys():
            raise NotImplementedError(
                "Layers with arguments in `__init__` must override `get_config`."
            )
        return {**config, **own}

    def _base_config(self) -> dict[str, Any]:
        """What every layer takes."""
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        if self.dynamic:
            config["dynamic"] = True
        return {**config, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer of what `get_config` gave."""
        return cls(**config)


count_as(Layer, frozenset((*vars(Measured), "compute_output_signature", "with_name_scope")))
