"""tf.nn before TensorFlow 1.0."""

import functools as _functools
import typing as _typing

import dataflow.library.rnn.static as _static
import dataflow.ops.nn.convolution_transpose as _transpose
import dataflow.ops.nn.losses as _losses


def _logits_first(function: _typing.Any, *names: str) -> _typing.Any:
    """A loss whose arguments may do without names as before 1.0; from then on that was an error."""

    @_functools.wraps(function)
    def loss(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any:
        taken = ("logits", "labels", *names)[: len(args)]
        return function(**dict(zip(taken, args, strict=True)), **kwargs)

    return loss


bidirectional_rnn = _static.static_bidirectional_rnn
deconv2d = _transpose.conv2d_transpose
rnn = _static.static_rnn
sigmoid_cross_entropy_with_logits = _logits_first(_losses.sigmoid_cross_entropy_with_logits, "name")
softmax_cross_entropy_with_logits = _logits_first(
    _losses.softmax_cross_entropy_with_logits, "dim", "name"
)
sparse_softmax_cross_entropy_with_logits = _logits_first(
    _losses.sparse_softmax_cross_entropy_with_logits, "name"
)
state_saving_rnn = _static.static_state_saving_rnn
