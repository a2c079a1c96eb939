"""Strings from one encoding to another."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import unchanged

define_op(
    "UnicodeTranscode",
    inputs="input: string",
    outputs="output: string",
    attrs=[
        "input_encoding: string",
        "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
        "errors: {'strict', 'replace', 'ignore'} = 'replace'",
        "replacement_char: int = 65533",
        "replace_control_characters: bool = false",
    ],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Strings of one encoding in another.",
)


@unary
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Strings of one encoding in another.

    Args:
      input: Strings.
      input_encoding: Their encoding, as "UTF-8", "UTF-16-BE" or "ISO-8859-1".
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What becomes of bytes that stand for no character: "strict" refuses them, "replace"
        puts another character in their place, "ignore" leaves them out.
      replacement_char: The other character's code point.
      replace_control_characters: Whether that happens to the first 32 characters, too.
      name: Name of the operation.

    Raises:
      ValueError: There is no such output encoding, or way with errors.
      InvalidArgumentError: At run time: there is no such input encoding or code point, or there
        are bytes that stand for no character.
    """
    return single(
        "UnicodeTranscode",
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )
