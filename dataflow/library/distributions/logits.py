"""Probabilities and their logits, of which one is given."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.sigmoid as sigmoid_ops
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.softmax as softmax_ops
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less_equal, assert_near, assert_non_negative
from dataflow.library.distributions.checks import embed_check_categorical_event_shape
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.reduce import reduce_sum


def logits_and_probs(
    logits: Any,
    probs: Any,
    validate_args: bool,
    name: str,
    multidimensional: bool = False,
    dtype: Any = None,
) -> tuple[Any, Any]:
    """Both, of one.

    Args:
      logits: Logits, or None.
      probs: Probabilities, or None.
      validate_args: Whether the step checks the probabilities.
      name: Name of the scope of the operations.
      multidimensional: Whether the last axis holds those of several classes.
      dtype: Their element type.

    Raises:
      ValueError: None or both are given, or there are too few or too many classes.
    """
    with name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = convert_to_tensor(logits, name="logits", dtype=dtype)
            if not logits.dtype.is_floating:
                raise TypeError("logits must having floating type.")
            if multidimensional:
                if validate_args:
                    logits = embed_check_categorical_event_shape(logits)
                return logits, softmax_ops.softmax(logits, name="probs")
            return logits, sigmoid_ops.sigmoid(logits, name="probs")
        probs = convert_to_tensor(probs, name="probs", dtype=dtype)
        if not probs.dtype.is_floating:
            raise TypeError("probs must having floating type.")
        if validate_args:
            probs = _checked(probs, multidimensional)
        with name_scope("logits"):
            found: Any = math_unary.log(probs)
            return (found if multidimensional else found - math_unary.log1p(-1.0 * probs)), probs


def _checked(probs: Any, multidimensional: bool) -> Tensor:
    checks = [assert_non_negative(probs)]
    one = convert_to_tensor(1.0, dtype=probs.dtype)
    if multidimensional:
        probs = embed_check_categorical_event_shape(probs)
        text = "probs does not sum to 1."
        checks.append(assert_near(reduce_sum(probs, -1), one, message=text))
    else:
        text = "probs has components greater than 1."
        checks.append(assert_less_equal(probs, one, message=text))
    found: Tensor = with_dependencies(checks, identity(probs))
    return found
