"""MaskedAutoregressiveFlow: each element is moved and stretched by those before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.contrib.distributions.bijectors.flows import log_volume, moved, moved_back
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph import scopes
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.dense import Dense
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.nn.activation import relu
from dataflow.values.shapes import dimension_value
from dataflow.variables.scaled_initializers import GlorotNormal
from dataflow.variables.scope import variable_scope
from dataflow.variables.template import Template, make_template


class MaskedAutoregressiveFlow(Bijector):
    """Moves and stretches each element of vectors by the results before it (Papamakarios, 2017).

    The inverse takes one pass, the function as many as a vector has elements.
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[[Any], Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes what makes shifts and scales.

        Args:
          shift_and_log_scale_fn: Gives of results what is added to each element and the logarithm
            of its factor, by results before it alone; each may be None.
          is_constant_jacobian: Whether volumes change alike everywhere.
          validate_args: Is looked at by nothing.
          unroll_loop: Whether passes are operations of their own, and no loop.
          name: Name of the scope of the operations.
        """
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _forward(self, x: Any) -> Any:
        known = dimension_value(x.shape.with_rank_at_least(1)[-1])
        start = zeros_like(x, name="y0")
        if self._unroll_loop:
            if known is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if "
                    f"`unroll_loop=True`. `x.shape: {x.shape!r}`"
                )
            y = start
            for _ in range(known):
                y = moved(x, *self._shift_and_log_scale_fn(y))
            return y
        # Variables are made outside of the loop.
        self._shift_and_log_scale_fn(start)

        def again(index: Any, y: Any) -> tuple[Any, Any]:
            with variable_scope(get_variable_scope()) as scope:
                if scope.caching_device is None:
                    # A variable is read once, not in each pass.
                    scope.set_caching_device(lambda op: op.device)
                return index + 1, moved(x, *self._shift_and_log_scale_fn(y))

        sizes: Any = array_shape.shape(x)
        count = sizes[-1]
        return while_loop(
            lambda index, _: index < count, again, (0, start), maximum_iterations=known
        )[1]

    def _inverse(self, y: Any) -> Any:
        return moved_back(y, *self._shift_and_log_scale_fn(y))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log_volume(y, self._shift_and_log_scale_fn(y)[1], "ildj")


def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: bool | None = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """A dense layer whose outputs are cut into blocks, of which each sees the inputs up to its own.

    Args:
      inputs: `[..., depth]`, of a known depth.
      units: Number of outputs.
      num_blocks: How many blocks inputs and outputs are cut into.
      exclusive: Whether a block does not see the inputs of its own block, either.
      kernel_initializer: Initial value of what is not masked; Glorot's normal one if None.
      reuse: Whether variables that exist are shared.
      name: Name of the layer, and its variable scope.
      *args: For `tf.layers.Dense`, after the number of outputs.
      **kwargs: For `tf.layers.Dense`.

    Raises:
      NotImplementedError: The depth is not known.
    """
    depth = dimension_value(inputs.shape.with_rank_at_least(1)[-1])
    if depth is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    blocks = depth if num_blocks is None else num_blocks
    mask = _mask(blocks, depth, units, exclusive)
    initializer = GlorotNormal() if kernel_initializer is None else kernel_initializer

    def masked_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initializer(shape, dtype, partition_info)

    with scopes.name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        options: dict[str, Any] = {
            "kernel_initializer": masked_initializer,
            "kernel_constraint": lambda kernel: mask * kernel,
            "name": name,
            "dtype": inputs.dtype.base_dtype,
            "_scope": name,
            "_reuse": reuse,
            **kwargs,
        }
        return Dense(units, *args, **options).apply(inputs)


def _mask(blocks: int, inputs: int, outputs: int, exclusive: bool) -> np.ndarray:
    """1 where an output sees an input, `[inputs, outputs]`."""
    mask = np.zeros([inputs, outputs], np.float32)
    of_inputs, of_outputs = inputs // blocks, outputs // blocks
    for block in range(blocks):
        first = (block + exclusive) * of_outputs
        mask[block * of_inputs : (block + 1) * of_inputs, first:] = 1
    return mask


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = relu,
    log_scale_min_clip: float = -5.0,
    log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A net of masked dense layers for `MaskedAutoregressiveFlow` (Germain et al., 2015).

    Args:
      hidden_layers: How many numbers each hidden layer gives.
      shift_only: Whether there is no scale.
      activation: Of hidden layers.
      log_scale_min_clip: The least logarithm of a scale.
      log_scale_max_clip: The largest one.
      log_scale_clip_gradient: Whether what is clipped has no gradient.
      name: A name scope, and the template's name.
      *args: For `masked_dense`, from `kernel_initializer` on.
      **kwargs: For `masked_dense`.

    Returns:
      What `MaskedAutoregressiveFlow` takes; its variables are made by the first call, and shared.
    """
    name = name or "masked_autoregressive_default_template"

    def shift_and_log_scale(x: Any) -> tuple[Any, Any]:
        depth = dimension_value(x.shape.with_rank_at_least(1)[-1])
        if depth is None:
            raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
        known = x.shape.is_fully_defined()
        shape: Any = np.int32(x.shape.as_list()) if known else array_shape.shape(x)
        for index, units in enumerate(hidden_layers):
            first = index == 0
            x = masked_dense(x, units, depth, first, *args, activation=activation, **kwargs)
        outputs = depth if shift_only else 2 * depth
        x = masked_dense(x, outputs, depth, False, *args, activation=None, **kwargs)
        if shift_only:
            return array_shape.reshape(x, shape), None
        pairs = array_shape.reshape(x, array_concat.concat([shape, [2]], axis=0))
        shift, log_scale = array_concat.unstack(pairs, num=2, axis=-1)
        clipped = clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        if not log_scale_clip_gradient:
            clipped = log_scale + stop_gradient(clipped - log_scale)
        return shift, clipped

    with scopes.name_scope(name, values=[log_scale_min_clip, log_scale_max_clip]):
        return make_template(name, shift_and_log_scale)
