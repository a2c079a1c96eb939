"""The scripts that characters belong to."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import unchanged

define_op(
    "UnicodeScript",
    inputs="input: int32",
    outputs="output: int32",
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="The number of the script of each code point, -1 for what is none.",
)


@unary
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The scripts of code points, by the numbers of ICU's `UScriptCode`.

    Args:
      input: Code points: int32.
      name: Name of the operation.

    Returns:
      An int32 for each; 0 for characters of all scripts, 103 for code points without a character,
      -1 for numbers that are no code points.
    """
    return single("UnicodeScript", input, name=name)
