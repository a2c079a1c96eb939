"""tensorflow.examples.tutorials.mnist.mnist: the network of the tutorials, in four steps."""

import math as _math
import typing as _typing

import dataflow.graph.scopes as _scopes
import dataflow.library.losses.classification as _losses
import dataflow.library.summaries.values as _summaries
import dataflow.ops.array.fill as _fill
import dataflow.ops.basic.cast as _cast
import dataflow.ops.linalg.matmul as _products
import dataflow.ops.nn.activation as _activation
import dataflow.ops.nn.topk as _topk
import dataflow.ops.random.stateful as _random
import dataflow.ops.reductions.reduce as _reduce
import dataflow.training.gradient_descent as _descent
import dataflow.values.dtypes as _dtypes
import dataflow.variables.variable as _variable

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: _typing.Any, hidden1_units: int, hidden2_units: int) -> _typing.Any:
    """The logits of images, each a row of IMAGE_PIXELS numbers, by way of two hidden layers."""
    relu = _activation.relu
    hidden1 = _layer("hidden1", images, IMAGE_PIXELS, hidden1_units, relu)
    hidden2 = _layer("hidden2", hidden1, hidden1_units, hidden2_units, relu)
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES, lambda logits: logits)


def loss(logits: _typing.Any, labels: _typing.Any) -> _typing.Any:
    """The mean cross entropy of logits against the numbers of the right classes."""
    return _losses.sparse_softmax_cross_entropy(_cast.cast(labels, _dtypes.int64), logits)


def training(loss: _typing.Any, learning_rate: _typing.Any) -> _typing.Any:
    """The op of one step of gradient descent; it counts in a variable `global_step`."""
    _summaries.scalar("loss", loss)
    optimizer = _descent.GradientDescentOptimizer(learning_rate)
    global_step = _variable.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: _typing.Any, labels: _typing.Any) -> _typing.Any:
    """How many images of the batch have their greatest logit at the right class, as an int32."""
    return _reduce.reduce_sum(_cast.cast(_topk.in_top_k(logits, labels, 1), _dtypes.int32))


def _layer(
    name: str,
    inputs: _typing.Any,
    rows: int,
    columns: int,
    activation: _typing.Callable[[_typing.Any], _typing.Any],
) -> _typing.Any:
    with _scopes.name_scope(name):
        deviation = 1.0 / _math.sqrt(float(rows))
        weights = _variable.Variable(
            _random.truncated_normal([rows, columns], stddev=deviation), name="weights"
        )
        biases = _variable.Variable(_fill.zeros([columns]), name="biases")
        return activation(_products.matmul(inputs, weights) + biases)
