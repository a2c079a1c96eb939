"""The inputs of exported models, as tf.contrib.learn has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dataflow.library.parsing.examples import parse_example
from dataflow.ops.basic.placeholder import placeholder
from dataflow.values import dtypes


class InputFnOps(NamedTuple):
    """Features, labels, and what is fed to make them."""

    features: Any
    labels: Any
    default_inputs: Any

    @property
    def receiver_tensors(self) -> Any:
        """What is fed, by the name that estimators of tf.estimator know it by."""
        return self.default_inputs


def build_parsing_serving_input_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A function that makes features of serialized examples, which are fed.

    Args:
      feature_spec: What `tf.io.parse_example` is to take.
      default_batch_size: How many examples there are; any number if None.
    """

    def input_fn() -> InputFnOps:
        examples = placeholder(dtypes.string, [default_batch_size], name="input_example_tensor")
        return InputFnOps(parse_example(examples, feature_spec), None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A function that makes placeholders like features, which are fed.

    Args:
      features: Tensors by name.
      default_batch_size: How many examples there are; any number if None.
    """

    def input_fn() -> InputFnOps:
        made = {
            name: placeholder(
                each.dtype, [default_batch_size, *each.shape.as_list()[1:]], name=each.op.name
            )
            for name, each in features.items()
        }
        return InputFnOps(made, None, made)

    return input_fn
