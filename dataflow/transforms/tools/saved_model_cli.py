"""The tool that shows what is in a SavedModel, and runs it."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dataflow.graph.graph import Graph
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, TensorInfo
from dataflow.proto.types_pb2 import DataType
from dataflow.saving.meta_graph.ops_used import ops_used_by_graph_def
from dataflow.saving.saved_model.loader import load
from dataflow.session.session import Session
from dataflow.transforms.saved_model_files import (
    get_meta_graph_def,
    get_saved_model_tag_sets,
    read_saved_model,
)
from dataflow.transforms.tools.saved_model_inputs import load_inputs_from_input_arg_string

_SUSPECT: Final = frozenset({"WriteFile", "ReadFile", "PrintV2"})
"""Ops that a stranger's model should not have."""


def show(args: Namespace) -> None:
    """Prints tags, signatures, or one of them whole, as the arguments say.

    Raises:
      OSError: There is no SavedModel.
      RuntimeError: No graph has these tags.
      ValueError: There is no such signature.
    """
    if args.all:
        for tags in sorted(get_saved_model_tag_sets(args.dir)):
            _say(
                f"\nMetaGraphDef with tag-set: '{', '.join(tags)}' contains the following "
                "SignatureDefs:"
            )
            graph = get_meta_graph_def(args.dir, ",".join(tags))
            for key in sorted(graph.signature_def):
                _say(f"\nsignature_def['{key}']:")
                _show_signature(graph, key, "  ")
    elif args.tag_set is None:
        _say("The given SavedModel contains the following tag-sets:")
        for tags in sorted(get_saved_model_tag_sets(args.dir)):
            _say(", ".join(sorted(tags)))
    elif args.signature_def is None:
        _say("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
        for key in sorted(get_meta_graph_def(args.dir, args.tag_set).signature_def):
            _say(f'SignatureDef key: "{key}"')
    else:
        _show_signature(get_meta_graph_def(args.dir, args.tag_set), args.signature_def, "")


def _show_signature(graph: MetaGraphDef, key: str, margin: str) -> None:
    signature = _signature(graph, key)
    for what, tensors in (("input", signature.inputs), ("output", signature.outputs)):
        _say(f"{margin}The given SavedModel SignatureDef contains the following {what}(s):")
        for name, info in sorted(tensors.items()):
            _say(f"{margin}  {what}s['{name}'] tensor_info:")
            _show_tensor(info, margin + " " * 6)
    _say(f"{margin}Method name is: {signature.method_name}")


def _show_tensor(info: TensorInfo, margin: str) -> None:
    sizes = ", ".join(str(dim.size) for dim in info.tensor_shape.dim)
    shape = "unknown_rank" if info.tensor_shape.unknown_rank else f"({sizes})"
    for line in (f"dtype: {DataType.Name(info.dtype)}", f"shape: {shape}", f"name: {info.name}"):
        _say(margin + line)


def _signature(graph: MetaGraphDef, key: str) -> Any:
    if key not in graph.signature_def:
        raise ValueError(
            f'Could not find signature "{key}". Please choose from: '
            f"{', '.join(sorted(graph.signature_def))}"
        )
    return graph.signature_def[key]


def run(args: Namespace) -> None:
    """Feeds the inputs of a signature and prints or saves its outputs.

    Raises:
      AttributeError: No inputs are given.
      OSError: There is no SavedModel.
      RuntimeError: No graph has these tags, or an output's file exists.
      ValueError: There is no such signature or input.
    """
    if not (args.inputs or args.input_exprs or args.input_examples):
        raise AttributeError(
            "At least one of --inputs, --input_exprs or --input_examples must be required"
        )
    values = load_inputs_from_input_arg_string(args.inputs, args.input_exprs, args.input_examples)
    run_saved_model_with_feed_dict(
        args.dir, args.tag_set, args.signature_def, values, args.outdir, args.overwrite, args.worker
    )


def run_saved_model_with_feed_dict(
    saved_model_dir: Any,
    tag_set: str,
    signature_def_key: str,
    input_tensor_key_feed_dict: Mapping[str, Any],
    outdir: str | None,
    overwrite_flag: bool,
    worker: str | None = None,
) -> None:
    """Prints the outputs of a signature, and saves them as .npy files.

    Args:
      saved_model_dir: The SavedModel's folder.
      tag_set: The graph's tags, with commas between them.
      signature_def_key: The signature.
      input_tensor_key_feed_dict: Values by the keys of its inputs.
      outdir: Where outputs are saved, a folder that is made if need be; None for nowhere.
      overwrite_flag: Whether files that exist are written over.
      worker: The session's target.

    Raises:
      RuntimeError: No graph has these tags, or a file exists that must not be written over.
      ValueError: There is no such signature or input.
    """
    signature = _signature(get_meta_graph_def(saved_model_dir, tag_set), signature_def_key)
    for key in input_tensor_key_feed_dict:
        if key not in signature.inputs:
            keys = '", "'.join(signature.inputs)
            raise ValueError(
                f'"{key}" is not a valid input key. Please choose from "{keys}", or use --show '
                "option."
            )
    feeds = {signature.inputs[key].name: value for key, value in input_tensor_key_feed_dict.items()}
    names = sorted(signature.outputs)
    with Session(worker or "", graph=Graph()) as session:
        load(session, tag_set.split(","), saved_model_dir)
        outputs = session.run([signature.outputs[name].name for name in names], feeds)
    for key, output in zip(names, outputs, strict=True):
        _say(f"Result for output key {key}:\n{output}")
        if outdir:
            _save(os.path.join(outdir, f"{key}.npy"), key, output, overwrite_flag)


def _save(path: str, key: str, output: Any, may_overwrite: bool) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not may_overwrite and os.path.exists(path):
        raise RuntimeError(
            f'Output file {path} already exists. Add "--overwrite" to overwrite the existing '
            "output files."
        )
    np.save(path, output)
    _say(f"Output {key} is saved to {path}")


def scan(args: Namespace) -> None:
    """Prints which ops of a graph, or of all, a stranger's model should not have.

    Raises:
      OSError: There is no SavedModel.
      RuntimeError: No graph has these tags.
    """
    if args.tag_set:
        graphs = [get_meta_graph_def(args.dir, args.tag_set)]
    else:
        graphs = list(read_saved_model(args.dir).meta_graphs)
    for graph in graphs:
        tags = list(graph.meta_info_def.tags)
        found = ", ".join(sorted(map(repr, _SUSPECT & {*ops_used_by_graph_def(graph.graph_def)})))
        if found:
            _say(
                f"MetaGraph with tag set {tags} contains the following blacklisted ops: {{{found}}}"
            )
        else:
            _say(f"MetaGraph with tag set {tags} does not contain blacklisted ops.")


def create_parser() -> ArgumentParser:
    """What reads the command line."""
    parser = ArgumentParser("saved_model_cli", description="Shows and runs SavedModels.")
    parser.add_argument("-v", "--version", action="version", version="0.1.0")
    commands = parser.add_subparsers(title="commands", required=True)
    for function, about in (
        (show, "prints tags, signatures, and the inputs and outputs of one"),
        (run, "feeds a signature and prints or saves what it gives"),
        (scan, "prints ops that write or read files"),
    ):
        command = commands.add_parser(function.__name__, help=about, description=about)
        command.add_argument("--dir", required=True, help="the SavedModel's folder")
        command.add_argument(
            "--tag_set", required=function is run, help="the graph's tags: serve,gpu"
        )
        command.set_defaults(func=function)
        if function is not scan:
            command.add_argument(
                "--signature_def", required=function is run, metavar="KEY", help="the signature"
            )
        if function is show:
            command.add_argument("--all", action="store_true", help="everything")
    _add_inputs(commands.choices["run"])
    return parser


def _add_inputs(command: ArgumentParser) -> None:
    for flag, about in (
        ("--inputs", "key=file.npy;key=file.npz[name]"),
        ("--input_exprs", "key=expression;..., in which np is numpy"),
        ("--input_examples", "key=[{feature: list}];..., a list of examples"),
    ):
        command.add_argument(flag, default="", help=about)
    command.add_argument("--outdir", help="where outputs are saved as .npy files")
    command.add_argument("--overwrite", action="store_true", help="writes over such files")
    command.add_argument("--worker", help="the session's target")


def main() -> None:
    """Does what the command line says."""
    args = create_parser().parse_args()
    args.func(args)


run_main = main


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
