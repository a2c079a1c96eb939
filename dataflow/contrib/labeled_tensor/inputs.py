"""Labeled tensors that are fed, parsed or batched, and a pair of changes of shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import dataflow.ops.basic.placeholder as basic_placeholder
from dataflow.contrib.labeled_tensor.arrangement import reshape
from dataflow.contrib.labeled_tensor.axes import Axes, Axis, as_axis
from dataflow.contrib.labeled_tensor.tensors import LabeledTensor, convert_to_labeled_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.parsing import configs, examples
from dataflow.training.inputs import batches, shuffled_batches


def placeholder(dtype: Any, axes: Collection[Any], name: str | None = None) -> LabeledTensor:
    """What is fed.

    Args:
      dtype: Its element type.
      axes: Its axes; a name alone is one whose size is not known.
      name: The name scope: "lt_placeholder".
    """
    with name_scope(name, "lt_placeholder", []) as scope:
        whole = Axes((each, None) if isinstance(each, str) else each for each in axes)
        sizes = [axis.size for axis in whole.values()]
        return LabeledTensor(basic_placeholder.placeholder(dtype, sizes, name=scope), whole)


class FixedLenFeature:
    """A feature of examples that has axes."""

    def __init__(self, axes: Collection[Any], dtype: Any, default_value: Any = None) -> None:
        """Takes its axes, its type, and what stands for it where it lacks."""
        self._axes = list(map(as_axis, axes))
        self._dtype = dtype
        self._default_value = default_value

    @property
    def axes(self) -> list[Axis]:
        """Its axes."""
        return self._axes

    @property
    def dtype(self) -> Any:
        """Its element type."""
        return self._dtype

    @property
    def default_value(self) -> Any:
        """What stands for it where it lacks."""
        return self._default_value


def _plain(features: Mapping[str, FixedLenFeature]) -> dict[str, Any]:
    """Features of sizes.

    Raises:
      ValueError: A size is not known.
    """
    found = {}
    for name, feature in features.items():
        sizes = [axis.size for axis in feature.axes]
        if None in sizes:
            raise ValueError("axes with unknown size are not supported")
        found[name] = configs.FixedLenFeature(sizes, feature.dtype, feature.default_value)
    return found


def parse_example(
    serialized: Any,
    features: Mapping[str, FixedLenFeature],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, LabeledTensor]:
    """Features of serialized examples: their axis is before those of each feature.

    Args:
      serialized: A labeled tensor of strings with one axis.
      features: Name -> its description.
      name: The name of the operation.
      example_names: Names of examples, for errors.

    Raises:
      ValueError: The size of an axis is not known.
    """
    given = convert_to_labeled_tensor(serialized)
    parsed = examples.parse_example(given.tensor, _plain(features), name, example_names)
    return {
        each: LabeledTensor(parsed[each], [*given.axes.values(), *features[each].axes])
        for each in parsed
    }


def parse_single_example(
    serialized: Any,
    features: Mapping[str, FixedLenFeature],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, LabeledTensor]:
    """Features of one serialized example.

    Args:
      serialized: A string.
      features: Name -> its description.
      name: The name of the operation.
      example_names: Its name, for errors.

    Raises:
      ValueError: The size of an axis is not known.
    """
    given = convert_to_labeled_tensor(serialized)
    parsed = examples.parse_single_example(given.tensor, _plain(features), name, example_names)
    return {each: LabeledTensor(parsed[each], features[each].axes) for each in parsed}


def batch(
    labeled_tensors: Collection[Any],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Batches of labeled tensors, along a first axis "batch"; see `tf.train.batch`.

    Raises:
      ValueError: Several are put in at a time, and their first axis has another name.
    """

    def made(tensors: list[Any], scope: str) -> Any:
        return batches.batch(
            tensors,
            batch_size=batch_size,
            num_threads=num_threads,
            capacity=capacity,
            enqueue_many=enqueue_many,
            allow_smaller_final_batch=allow_smaller_final_batch,
            name=scope,
        )

    size = None if allow_smaller_final_batch else batch_size
    return _batched("lt_batch", made, size, enqueue_many, labeled_tensors, name)


def shuffle_batch(
    labeled_tensors: Collection[Any],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    min_after_dequeue: int = 0,
    seed: int | None = None,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Shuffled batches of labeled tensors, along a first axis "batch"; see
    `tf.train.shuffle_batch`.

    Raises:
      ValueError: Several are put in at a time, and their first axis has another name.
    """

    def made(tensors: list[Any], scope: str) -> Any:
        return shuffled_batches.shuffle_batch(
            tensors,
            batch_size=batch_size,
            num_threads=num_threads,
            capacity=capacity,
            enqueue_many=enqueue_many,
            min_after_dequeue=min_after_dequeue,
            seed=seed,
            allow_smaller_final_batch=allow_smaller_final_batch,
            name=scope,
        )

    size = None if allow_smaller_final_batch else batch_size
    return _batched("lt_shuffle_batch", made, size, enqueue_many, labeled_tensors, name)


def _batched(
    default_name: str,
    batch_fn: Callable[[list[Any], str], Any],
    size: int | None,
    enqueue_many: bool,
    labeled_tensors: Collection[Any],
    name: str | None,
) -> list[LabeledTensor]:
    with name_scope(name, default_name, list(labeled_tensors)) as scope:
        all_given = [convert_to_labeled_tensor(each) for each in labeled_tensors]
        made = batch_fn([each.tensor for each in all_given], scope)
        found = []
        for given, tensor in zip(
            all_given, made if isinstance(made, list | tuple) else [made], strict=True
        ):
            axes = given.axes
            if enqueue_many:
                if next(iter(axes), None) != "batch":
                    raise ValueError(
                        'When enqueue_many is True, input tensors must have an axis called "batch" '
                        f"as their first dimension, but axes were {axes}"
                    )
                axes = axes.remove("batch")
            found.append(LabeledTensor(tensor, Axes([("batch", size), *axes.values()])))
        return found


class ReshapeCoder:
    """Other axes in place of neighbouring ones, and back."""

    def __init__(
        self, existing_axis_names: Collection[str], new_axes: Collection[Any], name: Any = None
    ) -> None:
        """Takes what `reshape` takes.

        Args:
          existing_axis_names: Names of axes that stand one behind the other.
          new_axes: Axes, or a name for one whose size follows from the others.
          name: The name scope of what is computed.
        """
        self._existing_axis_names = existing_axis_names
        self._new_axes = new_axes
        self._name = name
        self._existing_axes: list[Axis] | None = None

    def encode(self, labeled_tensor: Any) -> LabeledTensor:
        """A tensor with the new axes.

        Raises:
          ValueError: One with other axes was encoded before.
        """
        with name_scope(self._name, "lt_reshape_encode", [labeled_tensor]) as scope:
            given = convert_to_labeled_tensor(labeled_tensor)
            found = reshape(given, self._existing_axis_names, self._new_axes, name=scope)
            axes = [given.axes[each] for each in self._existing_axis_names]
            if self._existing_axes not in (None, axes):
                raise ValueError(
                    f"input axes {axes!r} do not match axes from previous method call "
                    f"{self._existing_axes!r}"
                )
            self._existing_axes = axes
            return found

    def decode(self, labeled_tensor: Any) -> LabeledTensor:
        """A tensor with the axes that were there before.

        Raises:
          ValueError: None was encoded.
        """
        if self._existing_axes is None:
            raise ValueError("decode called before encode")
        with name_scope(self._name, "lt_reshape_decode", [labeled_tensor]) as scope:
            names = [
                each if isinstance(each, str) else as_axis(each).name for each in self._new_axes
            ]
            return reshape(labeled_tensor, names, self._existing_axes, name=scope)
