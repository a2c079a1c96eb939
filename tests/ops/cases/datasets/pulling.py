"""What rows of datasets are made of: nodes that make datasets, and steps that take elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from tensorflow.python.framework import op_def_registry

from tests.ops.program import Step, fails, run
from tests.oracle import oracle


def numbers(tf: Any, stop: int, start: int = 0) -> Any:
    """The variant of a dataset of int64."""
    return tf.raw_ops.RangeDataset(
        start=np.int64(start),
        stop=np.int64(stop),
        step=np.int64(1),
        output_types=[tf.int64],
        output_shapes=[[]],
    )


def alike(tf: Any, shape: Any = ()) -> dict[str, Any]:
    """The attrs that say that elements are int64."""
    return {"output_types": [tf.int64], "output_shapes": [list(shape)]}


def pulled(
    tf: Any, variant: Any, count: int, types: Sequence[Any] = (), shapes: Any = None
) -> Iterator[Step]:
    """Steps that take so many elements of a dataset, which are all."""
    types = list(types) or [tf.int64]
    shapes = [None] * len(types) if shapes is None else shapes
    variant = tf.raw_ops.OptionsDataset(
        input_dataset=variant,
        serialized_options=plain_options(),
        output_types=types,
        output_shapes=shapes,
    )
    iterator = tf.raw_ops.IteratorV2(
        shared_name="", container="", output_types=types, output_shapes=shapes
    )
    yield run(tf.raw_ops.MakeIterator(dataset=variant, iterator=iterator))
    following = tf.raw_ops.IteratorGetNext(
        iterator=iterator, output_types=types, output_shapes=shapes
    )
    for _ in range(count):
        yield run(*following)
    yield fails("OutOfRangeError", "End of sequence", following[0])


def elements(tf: Any, dataset: Any, count: int) -> Iterator[Step]:
    """Steps that take so many elements of a dataset of the public class, which are all."""
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    yield run(iterator.initializer)
    flat = following if isinstance(following, tuple) else (following,)
    for _ in range(count):
        yield run(*flat)
    yield fails("OutOfRangeError", "End of sequence", flat[0])


Edit = Callable[[Any, Any], None]
"""Changes a node of a GraphDef."""


def rebuilt(tf: Any, dataset: Any, edit: Edit | None = None, **renamed: str) -> Any:
    """The variant of a dataset once more, whose node has another op type, as old graphs have.

    Args:
      tf: The library.
      dataset: The dataset.
      edit: Changes the node, too: `edit(graph_def, node)`.
      **renamed: The op type, and what becomes of it.
    """
    graph_def = tf.get_default_graph().as_graph_def()
    name = dataset._variant_tensor.op.name
    (node,) = [node for node in graph_def.node if node.name == name]
    node.op = renamed[node.op]
    known = {attr.name for attr in op_def_registry.get(node.op).attr}
    for attr in [attr for attr in node.attr if attr not in known]:
        del node.attr[attr]
    if edit is not None:
        edit(graph_def, node)
    (made,) = tf.import_graph_def(graph_def, return_elements=[f"{name}:0"], name="old")
    return made


def plain_options() -> bytes:
    """Options that leave pipelines as they are: TensorFlow cannot rewrite old ops."""
    options = oracle.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    serialized: bytes = options._to_proto().SerializeToString()
    return serialized
