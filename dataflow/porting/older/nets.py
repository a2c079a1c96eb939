"""tf.nn before TensorFlow 1.0."""

import functools as _functools
import typing as _typing

import dataflow.graph.convert as _convert
import dataflow.library.rnn.static as _static
import dataflow.library.sampled_losses as _sampled
import dataflow.ops.nn.convolution_transpose as _transpose
import dataflow.ops.nn.losses as _losses


def _logits_first(function: _typing.Any, *names: str) -> _typing.Any:
    """A loss whose arguments may do without names as before 1.0; from then on that was an error."""

    @_functools.wraps(function)
    def loss(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any:
        if "targets" in kwargs:
            kwargs["labels"] = kwargs.pop("targets")
        taken = ("logits", "labels", *names)[: len(args)]
        return function(**dict(zip(taken, args, strict=True)), **kwargs)

    return loss


def _inputs_first(function: _typing.Any) -> _typing.Any:
    """A sampled loss that takes the classes behind the inputs, too, as before 1.0."""

    @_functools.wraps(function)
    def loss(
        weights: _typing.Any,
        biases: _typing.Any,
        labels: _typing.Any,
        inputs: _typing.Any,
        *args: _typing.Any,
        **kwargs: _typing.Any,
    ) -> _typing.Any:
        labels, inputs = _convert.convert_to_tensor(labels), _convert.convert_to_tensor(inputs)
        if labels.dtype.is_floating and inputs.dtype.is_integer:
            labels, inputs = inputs, labels
        return function(weights, biases, labels, inputs, *args, **kwargs)

    return loss


bidirectional_rnn = _static.static_bidirectional_rnn
deconv2d = _transpose.conv2d_transpose
nce_loss = _inputs_first(_sampled.nce_loss)
rnn = _static.static_rnn
sampled_softmax_loss = _inputs_first(_sampled.sampled_softmax_loss)
sigmoid_cross_entropy_with_logits = _logits_first(_losses.sigmoid_cross_entropy_with_logits, "name")
softmax_cross_entropy_with_logits = _logits_first(
    _losses.softmax_cross_entropy_with_logits, "dim", "name"
)
sparse_softmax_cross_entropy_with_logits = _logits_first(
    _losses.sparse_softmax_cross_entropy_with_logits, "name"
)
state_saving_rnn = _static.static_state_saving_rnn
