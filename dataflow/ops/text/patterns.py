"""Strings and regular expressions of RE2."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import unchanged, with_rank
from dataflow.values.shapes import TensorShape


def _with_scalars(c: InferenceContext) -> TensorShape:
    for i in range(1, c.num_inputs):
        with_rank(c.input(i), 0)
    return c.input(0)


define_op(
    "RegexReplace",
    inputs="input: string, pattern: string, rewrite: string",
    outputs="output: string",
    attrs=["replace_global: bool = true"],
    shape=_with_scalars,
    gradient=NOT_DIFFERENTIABLE,
    doc="Strings in which what a pattern matches is replaced.",
)

define_op(
    "StaticRegexReplace",
    inputs="input: string",
    outputs="output: string",
    attrs=["pattern: string", "rewrite: string", "replace_global: bool = true"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="RegexReplace with a pattern and a replacement that the graph knows.",
)

define_op(
    "RegexFullMatch",
    inputs="input: string, pattern: string",
    outputs="output: bool",
    shape=_with_scalars,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether a pattern matches strings as a whole.",
)

define_op(
    "StaticRegexFullMatch",
    inputs="input: string",
    outputs="output: bool",
    attrs=["pattern: string"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether strings are as a whole what a regular expression describes.",
)


@unary
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Strings in which what a regular expression matches is replaced.

    Args:
      input: Strings.
      pattern: The expression, in the syntax of RE2.
      rewrite: The replacement; \\0 is what was matched, \\1 to \\9 are its groups.
      replace_global: Whether to replace all matches, or the first.
      name: Name of the operation.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return single(
            "StaticRegexReplace",
            input,
            pattern=pattern,
            rewrite=rewrite,
            replace_global=replace_global,
            name=name,
        )
    return single("RegexReplace", input, pattern, rewrite, replace_global=replace_global, name=name)


@unary
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether a regular expression of RE2 matches strings as a whole.

    Args:
      input: Strings.
      pattern: The expression.
      name: Name of the operation.
    """
    if isinstance(pattern, (str, bytes)):
        return single("StaticRegexFullMatch", input, pattern=pattern, name=name)
    return single("RegexFullMatch", input, pattern, name=name)
