"""Layers that normalize: over batches, and over each example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.collections import (
    add_variable,
    collect_named_outputs,
    get_variable_collections,
    variable_getter,
)
from dataflow.contrib.layers.fused_batch_norm import FusedBatchNorm
from dataflow.contrib.layers.hand_made_batch_norm import HandMadeBatchNorm
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.library.layers.normalization import BatchNormalization
from dataflow.ops.nn.moments import batch_normalization, moments
from dataflow.values import dtypes
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import variable_scope


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    param_regularizers: Mapping[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, Any] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """Batch normalization (Ioffe and Szegedy, 2015).

    Args:
      inputs: A tensor with channels last, or second if `data_format` says so.
      decay: Share of the moving averages that an update keeps.
      center: Whether `beta` is added.
      scale: Whether there is a factor `gamma`.
      epsilon: Added to the variance.
      activation_fn: A function of the output, or None.
      param_initializers: Of "beta", "gamma", "moving_mean" and "moving_variance".
      param_regularizers: Of "beta" and "gamma".
      updates_collections: Where the updates of the averages are put; if None, the output waits for
        them.
      is_training: Whether the batch's own moments count, or the averages; may be a tensor.
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train `beta` and `gamma`.
      batch_weights: How much each example counts in the batch's moments, or None for all alike.
      fused: Whether one operation does it all; None takes it where it can.
      data_format: "NHWC" or "NCHW".
      zero_debias_moving_mean: Corrects the first means for the average having started at zero.
      scope: Of the variables; "BatchNorm" if None.
      renorm: Batch renormalization (Ioffe, 2017).
      renorm_clipping: Bounds of its corrections.
      renorm_decay: Share of its averages that an update keeps.
      adjustment: A function of the shape that gives a factor and a summand.

    Raises:
      ValueError: If the format is neither, `renorm` is asked for together with weights, corrected
        means or another collection, or the inputs' rank or channels are not known.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = convert_to_tensor(inputs)
    by_hand = (
        batch_weights is not None
        or zero_debias_moving_mean
        or updates_collections != GraphKeys.UPDATE_OPS
    )
    rank = inputs.shape.rank
    can_fuse = batch_weights is None and not renorm and adjustment is None and rank in (2, 4)
    is_fused = fused is not False and can_fuse and (by_hand or rank == 2)
    # In TensorFlow the operation's variables are no model variables of their own making.
    getter = None if is_fused else variable_getter()
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as inside:
        initial = param_initializers or {}
        regularizers = param_regularizers or {}
        if by_hand or is_fused:
            if renorm:
                raise ValueError(
                    "renorm is not supported with batch_weights, updates_collections or "
                    "zero_debias_moving_mean"
                )
            normalize = (FusedBatchNorm if is_fused else HandMadeBatchNorm)(
                decay=decay,
                center=center,
                scale=scale,
                epsilon=epsilon,
                initializers=initial,
                # Only the operation's parameters have losses.
                regularizers=regularizers if is_fused else {},
                updates_collections=updates_collections,
                is_training=is_training,
                variables_collections=variables_collections,
                trainable=trainable,
                batch_weights=batch_weights,
                data_format=data_format,
                zero_debias=zero_debias_moving_mean,
            )
            outputs = normalize(inputs)
            if activation_fn is not None:
                outputs = activation_fn(outputs)
            return collect_named_outputs(outputs_collections, inside.name, outputs)
        layer = BatchNormalization(
            axis=1 if data_format == "NCHW" else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            beta_initializer=initial.get("beta", Zeros()),
            gamma_initializer=initial.get("gamma", Ones()),
            moving_mean_initializer=initial.get("moving_mean", Zeros()),
            moving_variance_initializer=initial.get("moving_variance", Ones()),
            beta_regularizer=regularizers.get("beta"),
            gamma_regularizer=regularizers.get("gamma"),
            trainable=trainable,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            fused=fused,
            name=inside.name,
            _scope=inside,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs, training=is_training)
        kinds = [*(["beta"] if center else []), *(["gamma"] if scale else [])]
        for kind in (*kinds, "moving_mean", "moving_variance"):
            add_variable(getattr(layer, kind), variables_collections, kind)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Layer normalization (Ba et al., 2016): each example for itself.

    Args:
      inputs: A tensor of rank 2 or more.
      center: Whether `beta` is added.
      scale: Whether there is a factor `gamma`.
      activation_fn: A function of the output, or None.
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      begin_norm_axis: The first axis that is normalized over, with all behind it.
      begin_params_axis: The first axis of the variables, with all behind it.
      scope: Of the variables; "LayerNorm" if None.

    Raises:
      ValueError: If the rank is not known, an axis is too large, or the variables' shape is not
        known.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as inside:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or first >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be "
                f"< rank(inputs) ({rank})"
            )
        sizes = inputs.shape[begin_params_axis:]
        if not sizes.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{inputs.shape}"
            )

        def parameter(name: str, initializer: Any) -> Any:
            return model_variable(
                name,
                shape=sizes,
                dtype=inputs.dtype.base_dtype,
                initializer=initializer,
                collections=get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        beta = parameter("beta", Zeros()) if center else None
        gamma = parameter("gamma", Ones()) if scale else None
        mean, variance = moments(inputs, list(range(first, rank)), keep_dims=True)
        half = inputs.dtype.base_dtype == dtypes.float16
        outputs = batch_normalization(
            inputs, mean, variance, beta, gamma, variance_epsilon=1e-3 if half else 1e-12
        )
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)
