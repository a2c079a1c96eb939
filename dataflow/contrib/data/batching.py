"""Functions for `Dataset.apply` that only tf.contrib.data had."""

from __future__ import annotations

from typing import Any

from dataflow.library.datasets import element_nest, structures
from dataflow.library.datasets.nodes import dataset_node, number
from dataflow.library.datasets.transformations import Transformation
from dataflow.values.shapes import as_shape


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Elements stacked along a new first dimension; a last batch with fewer ones is left out.

    Args:
      batch_size: How many: scalar int64.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Elements padded to one shape and stacked; a last batch with fewer ones is left out.

    Args:
      batch_size: How many: scalar int64.
      padded_shapes: See `Dataset.padded_batch`.
      padding_values: See `Dataset.padded_batch`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Batches of elements in a row, which overlap.

    Args:
      window_size: How many elements a batch has: scalar int64.
      stride: The old name of `window_shift`.
      window_shift: How far it is to the next batch; 1 if None.
      window_stride: How far it is to the next element of the batch.

    Raises:
      ValueError: Both names are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if stride is None else stride

    def apply(dataset: Any) -> Any:
        spec = structures.batched(dataset.element_spec, None)
        variant = dataset_node(
            "SlidingWindowDataset",
            spec,
            dataset._variant_tensor,
            number(window_size, "window_size"),
            number(shift, "window_shift", 1),
            number(window_stride, "window_stride"),
        )
        return dataset._made(variant, spec, dataset)

    return apply


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """The elements, of which so much is known as these shapes say.

    Args:
      expected_shapes: Shapes of the components, in the form of an element.

    Raises:
      ValueError: They contradict what is known.
    """

    def apply(dataset: Any) -> Any:
        shapes = element_nest.flatten_up_to(dataset.element_spec, expected_shapes)

        def narrowed(*parts: Any) -> Any:
            flat = element_nest.flatten(parts)
            for tensor, shape in zip(flat, shapes, strict=True):
                tensor.set_shape(as_shape(shape))
            return parts if len(parts) > 1 else parts[0]

        return dataset.map(narrowed)

    return apply
