"""Shape functions of ops that give elements: the attrs say what is known of them."""

from __future__ import annotations

from dataflow.schema.opdef import InferenceContext
from dataflow.values.shapes import TensorShape


def declared(c: InferenceContext) -> list[TensorShape]:
    """The shapes of the attr `output_shapes`.

    Raises:
      ValueError: There are more or fewer of them than outputs.
    """
    shapes: list[TensorShape] = list(c.attr("output_shapes"))
    if len(shapes) != c.num_outputs:
        raise ValueError(
            "`output_shapes` must be the same length as `output_types` "
            f"({len(shapes)} vs. {c.num_outputs})."
        )
    return shapes


def vector(c: InferenceContext) -> TensorShape:
    """A vector, of any length."""
    return TensorShape([None])
