"""Printing while a graph runs: Print, which passes a tensor on, PrintV2, and StringFormat."""

from __future__ import annotations

import os
import pprint
import random
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes, logging, nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape


def _print_gradient(op: Operation, grad: Any) -> list[Any]:
    return [grad] + [None] * (len(op.inputs) - 1)


def _printed_shape(c: InferenceContext) -> list[TensorShape]:
    rank = c.input(0).rank
    if rank:
        raise ValueError(f"input must be a scalar, but has rank: {rank}")
    return []


def _format_shape(c: InferenceContext) -> TensorShape:
    placeholders = c.attr("template").count(c.attr("placeholder"))
    if placeholders != c.num_inputs:
        raise ValueError(
            "num placeholders in template and num inputs must match: "
            f"{placeholders} vs. {c.num_inputs}"
        )
    return TensorShape.of(())


define_op(
    "Print",
    inputs="input: T, data: U",
    outputs="output: T",
    attrs=[
        "T: type",
        "U: list(type) >= 0",
        "message: string = ''",
        "first_n: int = -1",
        "summarize: int = 3",
    ],
    shape=unchanged,
    gradient=_print_gradient,
    doc="Passes `input` on and prints `data` to the standard error stream.",
    stateful=True,
)

define_op(
    "PrintV2",
    inputs="input: string",
    attrs=["output_stream: string = 'stderr'", "end: string = '\\n'"],
    shape=_printed_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Prints a string to a stream, a log or the end of a file.",
    stateful=True,
)

define_op(
    "StringFormat",
    inputs="inputs: T",
    outputs="output: string",
    attrs=[
        "T: list(type) >= 0",
        "template: string = '%s'",
        "placeholder: string = '%s'",
        "summarize: int = 3",
    ],
    shape=_format_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Puts tensors as text in the places of a placeholder in a template.",
)


def Print(
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Passes a tensor on, and prints others to the standard error stream when it does.

    Args:
      input_: The tensor.
      data: Tensors to print.
      message: What to print in front of them.
      first_n: How many times to print; negative for always.
      summarize: How many elements of each tensor to print; 3 by default.
      name: Name of the operation.
    """
    return single(
        "Print",
        input_,
        data,
        message=message,
        first_n=first_n,
        summarize=summarize,
        name=name,
    )


@dispatched
def string_format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int | None = 3,
    name: str | None = None,
) -> Tensor:
    """A template with tensors as text in the places of a placeholder: a scalar string.

    Args:
      template: The template.
      inputs: A tensor, or as many as there are placeholders.
      placeholder: What stands for a tensor.
      summarize: How many elements to show at each end of each dimension; -1 for all.
      name: Name of the operation.

    Raises:
      ValueError: The numbers of placeholders and tensors differ.
    """
    if isinstance(inputs, (Tensor, CompositeTensor)):
        inputs = [inputs]
    places = template.count(placeholder)
    if places != len(inputs):
        raise ValueError(
            f"{places} placeholder(s) in template does not match {len(inputs)} tensor(s) provided "
            "as input"
        )
    return single(
        "StringFormat",
        inputs,
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=name,
    )


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints its inputs.

    Args:
      *inputs: Tensors, dense and sparse, other objects, and structures of them.
      **kwargs: `output_stream` (sys.stderr): sys.stdout, sys.stderr, a function or level of
        `tf.logging`, or "file://<path>"; `summarize` (3): how many elements to show at each end of
        each dimension, -1 for all; `sep` (" "): what stands between the inputs; `end`: what stands
        behind the last; `name`: name of the operation.

    Raises:
      ValueError: The stream is none of those, or there is another keyword argument.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    separator = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    stream_name = _stream_name(stream)
    if len(inputs) == 1 and _is_scalar_string(inputs[0]):
        text = inputs[0]
    else:
        text = _formatted(inputs, separator, summarize, f"{name}_format" if name else None)
    op: Operation = apply_op("PrintV2", text, output_stream=stream_name, name=name, end=end)
    return op


def _stream_name(stream: Any) -> str:
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    names: dict[Any, str] = {
        sys.stdout: "stdout",
        sys.stderr: "stderr",
        logging.INFO: "log(info)",
        logging.info: "log(info)",
        logging.WARN: "log(warning)",
        logging.warning: "log(warning)",
        logging.ERROR: "log(error)",
        logging.error: "log(error)",
    }
    if stream not in names:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
            "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File "
            "needs to be in the form of 'file://<filepath>'."
        )
    return names[stream]


def _is_scalar_string(value: Any) -> bool:
    return (
        _is_tensor(value)
        and not isinstance(value, SparseTensor)
        and value.shape.rank == 0
        and value.dtype == dtypes.string
    )


def _is_tensor(value: Any) -> bool:
    """True for what is printed when the graph runs, not as it is now."""
    return isinstance(value, (Tensor, CompositeTensor)) or hasattr(value, "_is_dense_tensor_like")


def _formatted(inputs: Sequence[Any], separator: str, summarize: Any, name: str | None) -> Tensor:
    placeholder = _placeholder_for(inputs)
    tensors: list[Any] = []
    templates = []
    for item in inputs:
        atoms: list[Any] = []
        for atom in nest.flatten(item):
            if isinstance(atom, SparseTensor):
                tensors += [atom.indices, atom.values, atom.dense_shape]
                atoms.append(
                    f"SparseTensor(indices={placeholder}, values={placeholder}, "
                    f"shape={placeholder})"
                )
            elif _is_tensor(atom):
                tensors.append(atom)
                atoms.append(placeholder)
            else:
                atoms.append(atom)
        if isinstance(item, str):
            templates.append(item)
        else:
            templates.append(pprint.pformat(nest.pack_sequence_as(item, atoms)))
    # Tensors in a structure stand in it without quotes.
    template = separator.join(templates).replace(f"'{placeholder}'", placeholder)
    return string_format(template, tensors, placeholder=placeholder, summarize=summarize, name=name)


def _placeholder_for(inputs: Sequence[Any]) -> str:
    """A placeholder that does not occur in what the inputs are without their tensors."""
    in_order = [
        OrderedDict(sorted(item.items())) if isinstance(item, OrderedDict) else item
        for item in inputs
    ]
    without_tensors = nest.map_structure(lambda x: "" if _is_tensor(x) else x, in_order)
    text = " ".join(pprint.pformat(item) for item in without_tensors)
    placeholder = "{}"
    # The seed is TensorFlow's, and so is the template that comes out.
    digits = random.Random(5)
    while placeholder in text:
        placeholder += str(digits.randint(0, 9))
    return placeholder
