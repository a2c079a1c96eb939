"""BaseLayer: variables made when the input is known, and the operations that use them."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.graph.variable_scope_object import VariableScope
from dataflow.library.layers import keras_style, naming
from dataflow.library.layers.configured import Configured
from dataflow.library.layers.input_spec import check_inputs
from dataflow.library.layers.tracked import Tracked, made_of
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.division import truediv
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import get_variable, variable_scope
from dataflow.variables.store import default_initializer
from dataflow.variables.tracked import is_trackable
from dataflow.variables.variable import Variable, global_variables, trainable_variables


class BaseLayer(Configured, Tracked):
    """What layers of tf.layers and of tf.keras are: a `build` and a `call`.

    The first call makes the variables, in a variable scope named after the layer, later calls
    share them.

    Args:
      trainable: Whether optimizers train the layer's variables.
      name: Name of the layer and of its variable scope; that of the class, made unique, if None.
      dtype: Element type of the variables; that of the first input if None.
      activity_regularizer: Function of an output whose result, over the size of the batch, is
        added to the losses.
      **kwargs: `_scope`, a variable scope or name of one to use instead of a new one, and
        `_reuse`, whether variables that exist in it are shared.

    Attributes:
      built: Whether the variables are made.
      input_spec: An `InputSpec` or a list of them, or None.
      trainable: Whether optimizers train the layer's variables.
    """

    _is_legacy_layer: bool
    """Whether models of tf.keras refuse it."""

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: Any = None,
        activity_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable)
        scope = kwargs.pop("_scope", None)
        self._reuse = kwargs.pop("_reuse", None)
        if kwargs:
            raise TypeError("Keyword argument not understood:", next(iter(kwargs)))
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._activity_regularizer = activity_regularizer
        self.built = False
        self._inbound_nodes: list[Any] = []
        self._outbound_nodes: list[Any] = []
        self.input_spec: Any = None
        self.stateful = False
        self._base_name = name.name if isinstance(name, VariableScope) else name
        if name and not isinstance(name, VariableScope):
            self._name: str = name
        else:
            self._name = naming.numbered(naming.class_name(type(self)))
        self._base_name = self._base_name or naming.class_name(type(self))
        self._graph = scopes.get_default_graph()
        self._call_has_scope_arg = "scope" in inspect.signature(self.call).parameters
        self._current_scope: Any = None
        self._self_final_scope: Any = None
        self._scope: Any = None
        self._keras_style = keras_style.is_keras_style()
        if self._keras_style:
            keras_style.refuse("scope", scope)
            keras_style.refuse("reuse", self._reuse)
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    @property
    def dtype(self) -> str | None:
        """Name of the element type of the variables; None before the first call if not given."""
        return self._dtype

    @property
    def _compute_dtype(self) -> str | None:
        """Name of the element type that the layer computes with."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph the layer was made in."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """Name of the variable scope, which the first call settles."""
        if not self._scope:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name  is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return str(self._scope.name)

    @property
    def activity_regularizer(self) -> Any:
        """What makes a loss of each output."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        self._activity_regularizer = regularizer

    def build(self, input_shape: Any) -> None:
        """Makes the variables, by `add_weight`; subclasses that have some override it."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes the operations and returns the outputs; subclasses override it."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output for an input of a shape; subclasses override it."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say the shape of its output: override "
            "`compute_output_shape`."
        )

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        partitioner: Any = None,
    ) -> Any:
        """A variable of the layer: made, or the one there is where the layer shares variables.

        Args:
          name: Name within the layer's variable scope.
          shape: Shape; a scalar's if None.
          dtype: Element type; the layer's, or else float32, if None.
          initializer: See `tf.get_variable`.
          regularizer: Function of a new variable that gives a loss, or None.
          trainable: Whether the variable is trained if the layer is; True by default, unless it is
            synchronized when it is read.
          constraint: See `tf.get_variable`, as for the rest.
          use_resource: See above.
          synchronization: See above.
          aggregation: See above.
          partitioner: See above.

        Raises:
          ValueError: `trainable` does not go with ON_READ.
        """
        if synchronization == VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        trained = self.trainable and (trainable is None or trainable)
        if self._keras_style:
            return self._own_weight(
                name,
                shape,
                dtypes.as_dtype(dtype or self.dtype or dtypes.float32),
                initializer,
                regularizer,
                {
                    "trainable": trained,
                    "constraint": constraint,
                    "use_resource": use_resource is None or use_resource,
                    "synchronization": synchronization,
                    "aggregation": aggregation,
                },
            )
        with scopes.init_scope():
            before = {id(each) for each in global_variables()} if regularizer else set()
        self._set_scope(None)
        with variable_scope(
            self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False
        ) as scope:
            self._current_scope = scope
            with scopes.name_scope(scope.original_name_scope):
                variable = get_variable(
                    name,
                    () if shape is None else tuple(shape),
                    dtypes.as_dtype(dtype or self.dtype or dtypes.float32),
                    scope.initializer if initializer is None else initializer,
                    trainable=trained,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource or scope.use_resource,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
                parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
                if regularizer and not any(id(part) in before for part in parts):
                    for part in parts:
                        self._self_regularized(name, part, regularizer)
        if is_trackable(variable):
            self._track_trackable(variable, name, overwrite=True)
        # A custom getter may have made it one that is not trained.
        with scopes.init_scope():
            trainables = {id(each) for each in trainable_variables()}
        trained = trained and all(id(part) in trainables for part in parts)
        (self._trainable_weights if trained else self._non_trainable_weights).extend(parts)
        return variable

    def _own_weight(
        self, name: str, shape: Any, dtype: Any, initializer: Any, regularizer: Any, options: Any
    ) -> Any:
        """A new variable, in the open name scopes, of a Keras-style layer."""
        make: Any = default_initializer(name, dtype) if initializer is None else initializer
        make = make() if inspect.isclass(make) else make
        sizes = () if shape is None else tuple(shape)
        variable = Variable(lambda: make(sizes, dtype=dtype), name=name, dtype=dtype, **options)
        if regularizer:
            self._self_regularized(variable.op.name, variable, regularizer)
        own = self._trainable_weights if options["trainable"] else self._non_trainable_weights
        own.append(variable)
        self._track_trackable(variable, name, overwrite=True)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Former name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, tensors or functions that give them, to the layer's.

        They go into the collection `REGULARIZATION_LOSSES` as well, with what functions give now.

        Args:
          losses: One or a list; what is None is left out, or given by a function.
          inputs: The inputs they are computed from, or None if they are of the layer's variables.
        """
        added, functions = self._self_losses_added(losses, inputs)
        _add_to_collection(GraphKeys.REGULARIZATION_LOSSES, [*added, *made_of(functions)])

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the layer."""
        return self(inputs, *args, **kwargs)

    @shortened
    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for inputs; the first call makes the variables.

        Args:
          inputs: Tensors, or what converts to them.
          *args: For `call`.
          **kwargs: For `call`; and `scope`, the variable scope for the layer if this is the
            first call.

        Raises:
          ValueError: An input is not as `input_spec` asks, or `call` returns None.
        """
        given = kwargs.pop("scope", None)
        if self._keras_style:
            keras_style.refuse("scope", given)
            outputs = self._self_called(self.name, inputs, args, kwargs)
            _add_to_collection(GraphKeys.UPDATE_OPS, self.updates)
            return outputs
        self._set_scope(given)
        if not self.built:
            entered = variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        else:
            if self._self_final_scope is None:
                self._self_final_scope = variable_scope(
                    self._scope, reuse=True, auxiliary_name_scope=False
                )
            entered = self._self_final_scope
        with entered as scope:
            self._current_scope = scope
            if self._call_has_scope_arg:
                kwargs["scope"] = scope
            outputs = self._self_called(scope.original_name_scope, inputs, args, kwargs)
        _add_to_collection(GraphKeys.UPDATE_OPS, self.updates)
        return outputs

    def _self_called(self, name_scope: str | None, inputs: Any, args: Any, kwargs: Any) -> Any:
        inputs = nest.map_structure(_as_tensor, inputs)
        with (
            scopes.graph_of(nest.flatten(inputs)).as_default(),
            self._self_calling(inputs),
            scopes.name_scope(name_scope),
        ):
            check_inputs(self.input_spec, inputs, self.name)
            if not self.built:
                self._self_build_for(inputs)
                check_inputs(self.input_spec, inputs, self.name)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(
                    "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                    f"(layer: {self.name})."
                )
            self._regularize_activity(inputs, outputs)
        self._self_keep_call(inputs, outputs)
        for each in nest.flatten(outputs):
            if isinstance(each, Tensor) and "_keras_history" not in vars(each):
                # Models of tf.keras take none of these.
                vars(each)["_legacy_layer"] = self
        return outputs

    def _self_build_for(self, inputs: Any) -> None:
        given = nest.flatten(inputs)
        if self._dtype is None and given and hasattr(given[0], "dtype"):
            self._dtype = given[0].dtype.base_dtype.name
        shapes = None
        if all(hasattr(each, "shape") for each in given):
            shapes = nest.map_structure(lambda each: each.shape, inputs)
        self.build(shapes)
        self.built = True

    def _regularize_activity(self, inputs: Any, outputs: Any) -> None:
        if not self._activity_regularizer:
            return
        with scopes.name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                batch = cast(array_shape.shape(output)[0], loss.dtype)
                self.add_loss(truediv(loss, batch), inputs=inputs)

    def _set_scope(self, scope: Any) -> None:
        """Settles the variable scope, unless it is settled."""
        if self._scope is not None:
            return
        if self._reuse:
            entered = variable_scope(self._base_name if scope is None else scope)
        else:
            entered = variable_scope(scope, default_name=self._base_name)
        with entered as captured:
            self._scope = captured

    def __deepcopy__(self, memo: dict[int, Any]) -> BaseLayer:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            made.__dict__[name] = _copied(name, value, memo)
        return made


def _copied(name: str, value: Any, memo: dict[int, Any]) -> Any:
    """A copy of an attribute that shares graph and tensors with the original."""
    if name in ("_scope", "_self_final_scope"):
        return copy.copy(value)
    if isinstance(value, (Graph, Tensor, Variable, TensorShape)):
        return value
    if type(value) in (list, tuple):
        return type(value)(_copied("", each, memo) for each in value)
    if type(value) is dict:
        return {key: _copied("", each, memo) for key, each in value.items()}
    return copy.deepcopy(value, memo)


def _as_tensor(value: Any) -> Any:
    """A number or array as a tensor; anything else as it is."""
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value


def _add_to_collection(name: str, items: list[Any]) -> None:
    collection = scopes.get_collection_ref(name)
    there = {id(each) for each in collection}
    collection.extend(each for each in items if id(each) not in there)
