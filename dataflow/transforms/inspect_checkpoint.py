"""Prints what is in a checkpoint."""

from __future__ import annotations

import argparse
import math
import re
import sys
from typing import Any

import numpy as np

from dataflow.saving.reading import new_checkpoint_reader


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the names of a checkpoint's tensors, or their values, and how many numbers there are.

    What goes wrong is printed, too.

    Args:
      file_name: The checkpoint.
      tensor_name: A tensor to print; if empty, and nothing else is asked for, all are listed.
      all_tensors: Whether to print all values.
      all_tensor_names: Whether to print all names.
      count_exclude_pattern: A regular expression: tensors of such names are not counted.
    """
    try:
        _print(file_name, tensor_name, all_tensors, all_tensor_names, count_exclude_pattern)
    except Exception as error:
        _say(str(error))
        if "Data loss" in str(error) and any(
            part in file_name for part in (".index", ".meta", ".data")
        ):
            _say(
                "\nIt's likely that this is a V2 checkpoint and you need to provide the filename\n"
                "*prefix*.  Try removing the '.' and extension.  Try:\n"
                f"inspect checkpoint --file_name = {file_name.rpartition('.')[0]}"
            )


def _say(text: Any) -> None:
    sys.stdout.write(f"{text}\n")


def _print(
    file_name: str, tensor_name: str, all_tensors: bool, all_names: bool, exclude: str
) -> None:
    reader = new_checkpoint_reader(file_name)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if all_tensors or all_names:
        for key, shape in sorted(shapes.items()):
            _say(f"tensor: {key} ({types[key].name}) {shape}")
            if all_tensors:
                _say(reader.get_tensor(key))
    elif not tensor_name:
        text = reader.debug_string()
        _say(text.decode(errors="ignore"))
    elif not reader.has_tensor(tensor_name):
        _say(f"Tensor {tensor_name} not found in checkpoint")
        return
    else:
        _say(f"tensor: {tensor_name} ({types[tensor_name].name}) {shapes[tensor_name]}")
        _say(reader.get_tensor(tensor_name))
    if exclude:
        left_out = [key for key in shapes if re.search(exclude, key)]
        count = sum(math.prod(shapes.pop(key)) for key in left_out)
        _say(
            f"# Excluding {len(left_out)} tensors ({count} params) that match {exclude} when "
            "counting."
        )
    _say(f"# Total number of params: {sum(math.prod(shape) for shape in shapes.values())}")


def parse_numpy_printoption(kv_str: str) -> None:
    """Sets one of numpy's print options.

    Args:
      kv_str: "option=value".

    Raises:
      argparse.ArgumentTypeError: There is no such option, or it is of another type.
    """
    key, separator, text = kv_str.partition("=")
    if not separator or not key:
        raise argparse.ArgumentTypeError(f"'{kv_str}' is not in the form k=v.")
    options: dict[str, Any] = dict(np.get_printoptions())
    if key not in options:
        raise argparse.ArgumentTypeError(f"'{key}' is not a valid printoption.")
    kind = type(options[key])
    if options[key] is None:
        raise argparse.ArgumentTypeError(f"Setting '{key}' from the command line is not supported.")
    try:
        value: Any = text.lower() in ("true", "t", "1") if kind is bool else kind(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    chosen: dict[str, Any] = {key: value}
    np.set_printoptions(**chosen)
