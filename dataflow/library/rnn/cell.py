"""RNNCell: a layer that takes inputs and a state, and returns outputs and the next state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.layers.arguments import activation_of, told
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.library.rnn.sizes import zero_states
from dataflow.ops.array.shape import shape
from dataflow.ops.math.trig import tanh
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import variable_scope
from dataflow.variables.variable import trainable_variables

ASSERT_LIKE_RNNCELL_ERROR_REGEXP: Final = "is not an RNNCell"
"""What the error of `assert_like_rnncell` says."""


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """Fails unless an argument can be called and says its sizes and its first state.

    Raises:
      TypeError: It is no cell.
    """
    errors = []
    if not hasattr(cell, "output_size"):
        errors.append("'output_size' property is missing")
    if not hasattr(cell, "state_size"):
        errors.append("'state_size' property is missing")
    if not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        errors.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        errors.append("is not callable")
    if errors:
        raise TypeError(
            f"The argument {cell_name!r} ({cell}) {ASSERT_LIKE_RNNCELL_ERROR_REGEXP}: "
            f"{', '.join(errors)}."
        )


class RNNCell(Layer):
    """Base class of cells: subclasses say `state_size` and `output_size`, and override `call`.

    `call(inputs, state)` returns the outputs and the next state; variables it takes from
    `tf.get_variable` belong to the cell. A state is a tensor, or a structure of tensors as
    `state_size` is one of sizes.

    Args:
      trainable: See `tf.layers.Layer`, as for the rest.
      name: See above.
      dtype: See above.
      **kwargs: See above.
    """

    _arguments: tuple[str, ...] = ()
    """Those that `get_config` tells, beside what all layers take."""

    def __init__(
        self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make the cell again, as plain data where they can be."""
        own = {name: told(getattr(self, f"_{name}")) for name in self._arguments}
        return {"name": self.name, "trainable": self.trainable, "dtype": self.dtype, **own}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A cell of what `get_config` gave."""
        return cls(**config)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step.

        Args:
          inputs: Floats [batch, size], or what the cell takes.
          state: Floats [batch, state_size], or a structure of them.
          scope: Variable scope of the cell's variables; one named after the cell if None.

        Returns:
          The outputs and the next state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._rnn_get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        # The scope of the first call is entered again by the later ones.
        around = getattr(self, "rnncell_scope", None)
        if around is None:
            around = variable_scope(get_variable_scope(), custom_getter=self._rnn_get_variable)
            self.rnncell_scope = around
        with around:
            return super().__call__(inputs, state)

    def _rnn_get_variable(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        part = next(iter(variable)) if isinstance(variable, PartitionedVariable) else variable
        trained = any(part is each for each in trainable_variables())
        kept = self._trainable_weights if trained else self._non_trainable_weights
        if not any(variable is each for each in kept):
            kept.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """Size of the state: an integer, a `TensorShape`, or a structure of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """Size of the outputs: an integer, a `TensorShape`, or a structure of them."""
        raise NotImplementedError("Abstract method")

    def build(self, _: Any) -> None:
        """Makes no variables: `call` may do that."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The state before the first step, which is zero.

        Args:
          inputs: Inputs whose batch and element type the state gets, or None.
          batch_size: Number of examples if there are no inputs.
          dtype: Element type if there are no inputs.

        Raises:
          ValueError: Batch or element type is not given, or not that of the inputs.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            size = dimension_value(inputs.shape[0])
            if batch_size is not None:
                known = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
                if size != known:
                    raise ValueError(
                        "batch size from input tensor is different from the input param. Input "
                        f"tensor batch: {size}, batch_size: {batch_size}"
                    )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor "
                    f"dtype: {inputs.dtype}, dtype: {dtype}"
                )
            batch_size = size or shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros for a number of examples."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return zero_states(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell whose `build` makes the variables, as that of other layers does.

    Subclasses say `state_size` and `output_size`, and override `build` and `call`.
    """

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """One step; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


class SizedCell(LayerRNNCell):
    """A cell with a number of units, and a function of its new values.

    Args:
      num_units: Size of the state.
      activation: Function, or its name, of new values; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.

    Raises:
      ValueError: `dtype` is neither floating nor complex.
    """

    _arguments: tuple[str, ...] = ("num_units", "activation", "reuse")

    def __init__(
        self, num_units: Any, activation: Any, reuse: Any, name: Any, dtype: Any, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_type(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation) if activation else tanh

    @property
    def state_size(self) -> Any:
        """Size of the state."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """Size of the outputs."""
        return self._num_units

    def _self_input_size(self, inputs_shape: Any) -> int:
        """The size of inputs, when variables are to be made for it."""
        known = TensorShape(inputs_shape)
        size = dimension_value(known[-1])
        if size is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, saw shape: {known.dims_tuple}"
            )
        check_type(self.dtype)
        return size


def check_type(dtype: Any) -> None:
    """Fails unless an element type, if it is known, is one that cells compute with.

    Raises:
      ValueError: It is neither floating nor complex.
    """
    if dtype is None:
        return
    known = dtypes.as_dtype(dtype)
    if not (known.is_floating or known.is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {known}")


def check_types(*structures: Any) -> None:
    """`check_type` of all tensors of structures."""
    for each in nest.flatten(structures):
        check_type(each.dtype)
