"""Reversible blocks, whose inputs are computed of their outputs for gradients (Gomez et al., The
Reversible Residual Network: Backpropagation Without Storing Activations, 2017)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.basic.grouping as grouping
from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.differentiation.gradients import gradients
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.layers.layer import Layer
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.reductions.sum import add_n
from dataflow.variables.scope import variable_scope


class RevBlock(Layer):
    """Layers y1 = x1 + f(x2), y2 = x2 + g(y1), one behind the other.

    Args:
      f: Takes a tensor, and `f_side_input` if there are some, and gives a tensor of the same shape
        as the other half; or a list of such functions, one for each layer.
      g: The same.
      num_layers: How many layers.
      f_side_input: Further tensors that f is given.
      g_side_input: Further tensors that g is given.
      use_efficient_backprop: Whether gradients compute inputs anew rather than keep them.
      name: Name of the layer.
      **kwargs: See `tf.layers.Layer`.

    Raises:
      ValueError: There are not as many functions as layers.
    """

    def __init__(
        self,
        f: Any,
        g: Any,
        num_layers: int = 1,
        f_side_input: Sequence[Any] | None = None,
        g_side_input: Sequence[Any] | None = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.num_layers = num_layers
        self.f = _scoped(f, num_layers, "f")
        self.g = _scoped(g, num_layers, "g")
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._is_efficient = use_efficient_backprop

    def build(self, input_shape: Any) -> None:
        """Makes nothing: variables are made by the first call."""
        self.built = True

    def forward(self, x1: Any, x2: Any) -> Any:
        """Both outputs for both inputs."""
        return self.apply([x1, x2])

    def backward(self, y1: Any, y2: Any) -> Any:
        """Both inputs for both outputs."""
        return self.apply([y1, y2], forward=False)

    def call(self, inputs: Any, forward: bool = True) -> Any:
        """See `forward` and `backward`."""
        scope = get_variable_scope()
        before = {id(each) for each in scope.global_variables()}
        found = self._outputs(*inputs) if forward else self._inputs(*inputs)
        trained = {id(each) for each in scope.trainable_variables()}
        for each in scope.global_variables():
            if id(each) not in before:
                weights = (
                    self._trainable_weights if id(each) in trained else self._non_trainable_weights
                )
                weights.append(each)
        return found

    def _outputs(self, x1: Any, x2: Any) -> Any:
        count = len(self.f_side_input)

        def layers(x1: Any, x2: Any, *sides: Any) -> Any:
            for f, g in zip(self.f, self.g, strict=True):
                x1 = x1 + _called(f, x2, sides[:count])
                x2 = x2 + _called(g, x1, sides[count:])
                if self._is_efficient:
                    x1, x2 = grouping.tuple([x1, x2])
            return x1, x2

        @custom_gradient
        def efficient(*args: Any) -> Any:
            scope, found = get_variable_scope(), layers(*args)

            def gradient(*grads: Any, variables: Sequence[Any] | None = None) -> Any:
                with variable_scope(scope, reuse=True):
                    given, of_variables = self._gradients(found, grads, args[2:], variables or [])
                return given if variables is None else (given, of_variables)

            return found, gradient

        made = efficient if self._is_efficient else layers
        return made(x1, x2, *self.f_side_input, *self.g_side_input)

    def _inputs(self, y1: Any, y2: Any) -> Any:
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            y2 = y2 - _called(g, y1, self.g_side_input)
            y1 = y1 - _called(f, y2, self.f_side_input)
        return y1, y2

    def _gradients(
        self, outputs: Any, grads: Any, sides: Sequence[Any], variables: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Those of inputs and of variables, of the last layer first."""
        y1, y2 = outputs
        grad1, grad2 = grads
        count, others = len(self.f_side_input), [*sides, *variables]
        found: list[list[Any]] = [[] for _ in others]
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            # Copies, so that the gradient of each use is told apart.
            own = [stop_gradient(each) for each in sides]
            known = [*own, *variables]
            y1 = stop_gradient(y1)
            of_g = _called(g, y1, own[count:])
            x2 = stop_gradient(y2 - of_g)
            of_f = _called(f, x2, own[:count])
            through_g, *parts_g = gradients(of_g, [y1, *known], grad2)
            grad1 = _added(grad1, through_g)
            through_f, *parts_f = gradients(of_f, [x2, *known], grad1)
            grad2 = _added(grad2, through_f)
            for place, *parts in zip(found, parts_g, parts_f, strict=True):
                place.extend(part for part in parts if part is not None)
            y1, y2, grad1, grad2 = grouping.tuple([y1 - of_f, x2, grad1, grad2])
        sums = [add_n(parts) if parts else None for parts in found]
        return [grad1, grad2, *sums[: len(sides)]], sums[len(sides) :]


def rev_block(
    x1: Any,
    x2: Any,
    f: Any,
    g: Any,
    num_layers: int = 1,
    f_side_input: Sequence[Any] | None = None,
    g_side_input: Sequence[Any] | None = None,
    is_training: bool = True,
) -> Any:
    """A reversible block of two tensors; see `RevBlock`.

    Args:
      x1: A tensor.
      x2: A tensor.
      f: See there.
      g: See there.
      num_layers: See there.
      f_side_input: See there.
      g_side_input: See there.
      is_training: Whether gradients compute inputs anew.

    Returns:
      Two tensors.
    """
    block = RevBlock(
        f,
        g,
        num_layers,
        f_side_input,
        g_side_input,
        is_training,
        _reuse=get_variable_scope().reuse,
    )
    return block.forward(x1, x2)


def _scoped(given: Any, count: int, name: str) -> list[Callable[..., Any]]:
    """The functions of all layers, each in a variable scope of its own."""
    functions = given if isinstance(given, list) else [given] * count
    if len(functions) != count:
        raise ValueError(f"There must be {count} functions {name}; got {len(functions)}.")

    def inside(function: Callable[..., Any], scope: str, *args: Any) -> Any:
        with variable_scope(scope, use_resource=True):
            return function(*args)

    return [
        functools.partial(inside, function, f"revlayer_{number}/{name}")
        for number, function in enumerate(functions)
    ]


def _called(function: Callable[..., Any], x: Any, sides: Sequence[Any]) -> Any:
    return function(x, list(sides)) if sides else function(x)


def _added(first: Any, second: Any) -> Any:
    return first if second is None else first + second
