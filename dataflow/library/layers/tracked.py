"""Tracked: the variables, losses, updates and calls that a layer remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.layers.dependence import depends_on
from dataflow.values import dtypes, nest
from dataflow.variables.tracked import Trackable


def paired(kind: str, whom: str, variables: Sequence[Any], values: Any) -> list[tuple[Any, Any]]:
    """Variables, each with its new value.

    Args:
      kind: What has the variables, as errors call it.
      whom: Which one.
      variables: The variables.
      values: As many arrays of the same shapes.

    Raises:
      ValueError: Their number or a shape is another.
    """
    if len(variables) != len(values):
        raise ValueError(
            f"You called `set_weights(weights)` on {kind} {whom} with a  weight list of length "
            f"{len(values)}, but the {kind} was expecting {len(variables)} weights. Provided "
            f"weights: {str(values)[:50]}..."
        )
    pairs = list(zip(variables, values, strict=True))
    for variable, value in pairs:
        if not variable.shape.is_compatible_with(np.shape(value)):
            raise ValueError(
                f"{kind.capitalize()} weight shape {variable.shape} not compatible with provided "
                f"weight shape {np.shape(value)}"
            )
    return pairs


class Tracked(Trackable):
    """What a layer has made so far.

    Attributes:
      stateful: Whether the layer keeps state besides, so that it is updated even if not trained.
      name: Name of the layer.
      built: Whether its variables are made.
    """

    name: Any
    built: bool

    def __init__(self, trainable: bool) -> None:
        # Past the property: that of a subclass may ask for what is made later.
        self._trainable = trainable
        self.stateful = False
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._callable_losses: list[Callable[[], Any]] = []
        self._updates: list[Any] = []
        self._self_unconditional: set[int] = set()
        self._self_open_calls: list[Any] = []
        self._self_calls: list[tuple[Any, Any]] = []
        self._self_metrics_added: list[Any] = []

    @property
    def trainable(self) -> bool:
        """Whether optimizers train the layer's variables."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers train."""
        return once(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        if self.trainable:
            return once(self._non_trainable_weights)
        return once([*self._trainable_weights, *self._non_trainable_weights])

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    def get_weights(self) -> list[Any]:
        """The values of all variables, in the default session."""
        return [each.eval() for each in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Gives all variables values, in the default session.

        Raises:
          ValueError: Their number or a shape is another.
        """
        self._set_values(paired("layer", f'"{self.name}"', self.weights, weights))

    def _set_values(self, values: list[tuple[Any, Any]]) -> None:
        for variable, value in values:
            variable.load(value)

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimizers train."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other variables."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return self.weights

    def count_params(self) -> int:
        """The number of elements of all variables.

        Raises:
          ValueError: They are not made yet.
        """
        if not getattr(self, "built", True):
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                f"can build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(each.shape.num_elements() for each in self.weights)

    @property
    def losses(self) -> list[Any]:
        """Losses of the outputs, then what functions give, as for variables: new each time."""
        return [*self._losses, *made_of(self._callable_losses)]

    @property
    def updates(self) -> list[Any]:
        """Operations that update the layer's variables besides training."""
        return list(self._updates) if self.trainable or self.stateful else []

    def _self_losses_added(self, losses: Any, inputs: Any) -> tuple[list[Any], list[Any]]:
        """The new losses, remembered: as tensors, and the functions that give one at each call."""

        def tagged(loss: Any) -> Any:
            made = loss() if callable(loss) else loss
            if made is None:
                return None
            if not hasattr(made, "graph"):
                made = convert_to_tensor(made, dtype=self._self_loss_dtype())
            made._unconditional_loss = inputs is None
            return made

        given = [each for each in nest.flatten(losses) if each is not None]
        functions: list[Any] = [partial(tagged, each) for each in given if callable(each)]
        added = [tagged(each) for each in given if not callable(each)]
        self._losses.extend(added)
        self._callable_losses.extend(functions)
        return added, functions

    def _self_loss_dtype(self) -> Any:
        """The element type of losses that are given as numbers."""
        return dtypes.float32

    def _self_regularized(self, name: str, variable: Any, regularizer: Any) -> None:
        """Adds what a regularizer says of a variable, in a scope that is opened each time.

        Args:
          name: What the scope is called by.
          variable: One that is not partitioned.
          regularizer: Function of it.
        """

        def loss() -> Any:
            with name_scope(f"{name}/Regularizer"):
                return regularizer(variable)

        self.add_loss(loss)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses: tensors, or functions that are called whenever the losses are asked for.

        Args:
          losses: One or a list; what is None is left out, or given by a function.
          inputs: The inputs they are computed from, or None if they are of the variables.
        """
        self._self_losses_added(losses, inputs)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates: operations, tensors, or functions that give them.

        After a call they are in the collection `UPDATE_OPS`.

        Args:
          updates: One or a list.
          inputs: Not used: what an update is computed from is found in the graph.
        """
        known = self._known_inputs()
        for each in updates if isinstance(updates, (list, tuple)) else [updates]:
            made = each() if callable(each) and not hasattr(each, "op") else each
            if not isinstance(made, Operation):
                update = (made if hasattr(made, "op") else convert_to_tensor(made)).op
            else:
                update = made
            if not depends_on(update, tensors_of(known)):
                self._self_unconditional.add(id(update))
            self._updates.append(update)

    def _known_inputs(self) -> list[Any]:
        """The inputs of the call that runs, or else of all there have been."""
        return self._self_open_calls[-1:] or [inputs for inputs, _ in self._self_calls]

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses that are computed from inputs; for None those of the variables."""
        return self._of_inputs(self.losses, inputs)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that are computed from inputs; for None those that need none."""
        return self._of_inputs(self.updates, inputs)

    def _of_inputs(self, items: list[Any], inputs: Any) -> list[Any]:
        if inputs is None:
            return [each for each in items if self._is_unconditional(each)]
        conditional = [each for each in items if not self._is_unconditional(each)]
        return [each for each in conditional if depends_on(each, tensors_of(inputs))]

    def _is_unconditional(self, item: Any) -> bool:
        """Whether a loss or an update is computed from no inputs."""
        tagged = getattr(item, "_unconditional_loss", None)
        return id(item) in self._self_unconditional if tagged is None else bool(tagged)

    def _self_sublayers(self) -> list[Any]:
        """The layers in it, which tf.layers does not look for."""
        return []

    @contextmanager
    def _self_calling(self, inputs: Any) -> Iterator[None]:
        """Within it updates are those of a call with these inputs."""
        self._self_open_calls.append(inputs)
        try:
            yield
        finally:
            self._self_open_calls.pop()

    def _self_keep_call(self, inputs: Any, outputs: Any) -> None:
        self._self_calls.append((inputs, outputs))

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of one of the calls."""
        return _alone(self._call_at(node_index, "input")[0])

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of one of the calls."""
        return _alone(self._call_at(node_index, "output")[1])

    def get_input_shape_at(self, node_index: int) -> Any:
        """The static shapes of the inputs of one of the calls."""
        return nest.map_structure(_sizes, self.get_input_at(node_index))

    def get_output_shape_at(self, node_index: int) -> Any:
        """The static shapes of the outputs of one of the calls."""
        return nest.map_structure(_sizes, self.get_output_at(node_index))

    def _call_at(self, index: int, what: str) -> tuple[Any, Any]:
        name = getattr(self, "name", "")
        if not self._self_calls:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if index >= len(self._self_calls):
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer {name} has only "
                f"{len(self._self_calls)} inbound nodes."
            )
        return self._self_calls[index]

    @property
    def input(self) -> Any:
        """The inputs of the only call."""
        name = getattr(self, "name", "")
        if len(self._self_calls) > 1:
            raise AttributeError(
                f"Layer {name} has multiple inbound nodes, hence the notion of "
                '"layer input" is ill-defined. Use `get_input_at(node_index)` instead.'
            )
        if not self._self_calls:
            raise AttributeError(f"Layer {name} is not connected, no input to return.")
        return _alone(self._self_calls[0][0])

    @property
    def output(self) -> Any:
        """The outputs of the first call."""
        if not self._self_calls:
            raise AttributeError(f"Layer {getattr(self, 'name', '')} has no inbound nodes.")
        return _alone(self._self_calls[0][1])

    @property
    def input_shape(self) -> Any:
        """The sizes of the inputs of the calls, which must all be the same."""
        return self._shape_of_calls("input", 0)

    @property
    def output_shape(self) -> Any:
        """The sizes of the outputs of the calls, which must all be the same."""
        return self._shape_of_calls("output", 1)

    def _shape_of_calls(self, what: str, place: int) -> Any:
        if not self._self_calls:
            raise AttributeError(
                f"The layer has never been called and thus has no defined {what} shape."
            )
        shapes = [nest.map_structure(_sizes, call[place]) for call in self._self_calls]
        if any(each != shapes[0] for each in shapes):
            raise AttributeError(
                f'The layer "{getattr(self, "name", "")}" has multiple inbound nodes, with '
                f'different {what} shapes. Hence the notion of "{what} shape" is ill-defined for '
                f"the layer. Use `get_{what}_shape_at(node_index)` instead."
            )
        return shapes[0]


def _alone(tensors: Any) -> Any:
    """The only one of a list, or what there is."""
    return tensors[0] if isinstance(tensors, list) and len(tensors) == 1 else tensors


def _sizes(tensor: Any) -> tuple[int | None, ...] | None:
    """The sizes of a tensor, None for those that are not known, or for all if their number is."""
    return None if tensor.shape.rank is None else tuple(tensor.shape.as_list())


def made_of(functions: list[Callable[[], Any]]) -> list[Any]:
    """What functions give now, without the None."""
    return [made for made in (each() for each in functions) if made is not None]


def once(items: list[Any]) -> list[Any]:
    """The items without repetitions."""
    return list({id(each): each for each in items}.values())


def tensors_of(structure: Any) -> list[Any]:
    """The tensors of a structure: what sparse ones consist of, and the handles of variables."""
    tensors = []
    for each in nest.flatten(structure):
        if isinstance(each, SparseTensor):
            tensors += [each.indices, each.values, each.dense_shape]
        elif hasattr(each, "handle"):
            tensors.append(each.handle)
        else:
            tensors.append(each)
    return tensors
