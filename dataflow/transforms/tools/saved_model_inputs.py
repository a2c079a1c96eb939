"""What the command line says to feed a SavedModel: files, expressions and examples."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from dataflow.library.files.gfile import GFile
from dataflow.proto.example_pb2 import Example


def load_inputs_from_input_arg_string(
    inputs_str: str, input_exprs_str: str, input_examples_str: str
) -> dict[str, Any]:
    """The values to feed, by the keys of a signature; later arguments go before earlier ones.

    Args:
      inputs_str: `key=file` or `key=file[name]`, with semicolons between them: a .npy file, or
        an array of a .npz file.
      input_exprs_str: `key=expression`, with semicolons: Python's, in which `np` is numpy.
      input_examples_str: `key=[{feature: list}]`, with semicolons: a list of examples.

    Raises:
      RuntimeError: An argument is not written so, or a file has not the array, or several.
      ValueError: An example is none, or a file could run code.
    """
    found: dict[str, Any] = {}
    for key, (path, name) in preprocess_inputs_arg_string(inputs_str).items():
        found[key] = _array(path, name)
    for key, value in preprocess_input_exprs_arg_string(input_exprs_str, safe=False).items():
        if key in found:
            warnings.warn(
                f"input_key {key} has been specified with both --inputs and --input_exprs options. "
                "Value in --input_exprs will be used.",
                stacklevel=2,
            )
        found[key] = value
    for key, value in preprocess_input_examples_arg_string(input_examples_str).items():
        if key in found:
            warnings.warn(
                f"input_key {key} has been specified in multiple options. Value in "
                "--input_examples will be used.",
                stacklevel=2,
            )
        found[key] = value
    return found


def preprocess_inputs_arg_string(inputs_str: str) -> dict[str, tuple[str, str | None]]:
    """The file, and the name of an array in it or None, by the keys of a signature.

    Raises:
      RuntimeError: It is not written so.
    """
    found: dict[str, tuple[str, str | None]] = {}
    for each in filter(None, inputs_str.split(";")):
        parts = re.fullmatch(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?", each)
        if parts is None:
            raise RuntimeError(
                f'--inputs "{each}" format is incorrect. Please follow'
                '"<input_key>=<filename>", or"<input_key>=<filename>[<variable_name>]"'
            )
        found[parts[1]] = parts[2], parts[3]
    return found


def preprocess_input_exprs_arg_string(input_exprs_str: str, safe: bool = True) -> dict[str, Any]:
    """The values of expressions, by the keys of a signature.

    Args:
      input_exprs_str: `key=expression`, with semicolons between them.
      safe: Only literals are allowed.

    Raises:
      RuntimeError: It is not written so, or an expression is no literal where it must be.
    """
    read = _literal if safe else _evaluated
    return {key: read(text) for key, text in _expressions(input_exprs_str)}


def _expressions(text: str) -> Iterator[tuple[str, str]]:
    for each in filter(None, text.split(";")):
        key, is_set, expression = each.partition("=")
        if not is_set:
            raise RuntimeError(
                f'--input_exprs "{text}" format is incorrect. Please follow'
                '"<input_key>=<python expression>"'
            )
        yield key, expression


def _evaluated(text: str) -> Any:
    # The user's own, of the command line.
    return eval(text, {"np": np})  # noqa: S307


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except Exception as error:
        raise RuntimeError(f'Expression "{text}" is not a valid python literal.') from error


def preprocess_input_examples_arg_string(input_examples_str: str) -> dict[str, list[bytes]]:
    """Serialized examples, by the keys of a signature.

    Raises:
      RuntimeError: It is not written so.
      ValueError: A value is no list of dictionaries of lists of numbers or texts.
    """
    found = preprocess_input_exprs_arg_string(input_examples_str)
    for key, examples in found.items():
        if not isinstance(examples, list):
            raise ValueError(
                "tf.Example input must be a list of dictionaries, but "
                f'"{examples}" is {type(examples)}'
            )
        found[key] = list(map(_example, examples))
    return found


def _example(features: dict[str, Any]) -> bytes:
    example = Example()
    for name, values in features.items():
        if not isinstance(values, list):
            raise ValueError(
                f'feature value must be a list, but {name}: "{values}" is {type(values)}'
            )
        feature = example.features.feature[name]
        first = values[0] if values else None
        if isinstance(first, float):
            feature.float_list.value.extend(values)
        elif isinstance(first, (str, bytes)):
            texts = (each.encode() if isinstance(each, str) else each for each in values)
            feature.bytes_list.value.extend(texts)
        elif isinstance(first, int):
            feature.int64_list.value.extend(values)
        else:
            raise ValueError(
                f"Type {type(first)} for value {first} is not supported for tf.train.Feature."
            )
    return example.SerializeToString()


def _array(path: str, name: str | None) -> Any:
    with GFile(path, "rb") as file:
        try:
            data = np.load(file, allow_pickle=False)
            if isinstance(data, np.ndarray):
                if name:
                    warnings.warn(
                        f'Input file {path} contains a single ndarray. Name key "{name}" ignored.',
                        stacklevel=3,
                    )
                return data
            if name is None and len(data.files) != 1:
                raise RuntimeError(
                    f"Input file {path} contains more than one ndarrays. Please specify the name "
                    "of ndarray to use."
                )
            if name is not None and name not in data:
                raise RuntimeError(
                    f'Input file {path} does not contain variable with name "{name}".'
                )
            return data[data.files[0] if name is None else name]
        except ValueError as error:
            raise ValueError(
                f"Input file {path} is no .npy or .npz file of numbers; pickles, which can run "
                f"code, are not read: {error}"
            ) from error
