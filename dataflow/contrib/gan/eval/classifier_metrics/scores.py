"""How sure a classifier is of images, and how many classes it sees among them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.gan.eval.classifier_metrics.activations import outputs_in_parts
from dataflow.contrib.gan.eval.classifier_metrics.inception import INCEPTION_OUTPUT, run_inception
from dataflow.ops.basic.cast import cast
from dataflow.ops.nn.softmax import log_softmax, softmax
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes


def classifier_score(images: Any, classifier_fn: Callable[[Any], Any], num_batches: int = 1) -> Any:
    """The score of images (Salimans et al., 2016): exp(E[KL(p(y|x) || p(y))]).

    Args:
      images: Their number is a multiple of `num_batches`.
      classifier_fn: Makes logits of images.
      num_batches: How many parts the images are classified in.

    Returns:
      A scalar of the type of the logits.

    Raises:
      ValueError: The logits are no matrix.
    """
    return classifier_score_from_logits(outputs_in_parts(images, classifier_fn, num_batches))


def classifier_score_from_logits(logits: Any) -> Any:
    """See `classifier_score`.

    Args:
      logits: `[images, classes]`.

    Raises:
      ValueError: They are no matrix.
    """
    logits.shape.assert_has_rank(2)
    dtype = logits.dtype
    logits = cast(logits, dtypes.float64)
    of_each = softmax(logits)
    of_all: Any = math_unary.log(reduce_mean(of_each, axis=0))
    divergence = reduce_sum(of_each * (log_softmax(logits) - of_all), axis=1)
    return cast(math_unary.exp(reduce_mean(divergence)), dtype)


inception_score = functools.partial(
    classifier_score,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_OUTPUT),
)
