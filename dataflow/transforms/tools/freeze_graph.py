"""The tool that makes constants of a graph's variables."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from dataflow.proto.saver_pb2 import SaverDef
from dataflow.transforms.freeze import freeze_graph
from dataflow.transforms.tools.arguments import Arguments

_VERSIONS = {1: SaverDef.V1, 2: SaverDef.V2}


def main(unused_args: Any, flags: Namespace) -> None:
    """Freezes a graph as flags say.

    Raises:
      ValueError: There is no such version of checkpoints, or see `freeze_graph`.
    """
    if flags.checkpoint_version not in _VERSIONS:
        raise ValueError(
            f"Invalid checkpoint version (must be '1' or '2'): {flags.checkpoint_version}"
        )
    freeze_graph(
        flags.input_graph,
        flags.input_saver,
        flags.input_binary,
        flags.input_checkpoint,
        flags.output_node_names,
        flags.restore_op_name,
        flags.filename_tensor_name,
        flags.output_graph,
        flags.clear_devices,
        flags.initializer_nodes,
        flags.variable_names_whitelist,
        flags.variable_names_denylist,
        flags.input_meta_graph,
        flags.input_saved_model_dir,
        flags.saved_model_tags,
        _VERSIONS[flags.checkpoint_version],
    )


def run_main() -> None:
    """Freezes a graph as the command line says."""
    arguments = Arguments("freeze_graph")
    arguments.texts(
        input_graph="",
        input_saver="",
        input_checkpoint="",
        output_graph="",
        output_node_names="",
        restore_op_name="save/restore_all",
        filename_tensor_name="save/Const:0",
        initializer_nodes="",
        variable_names_whitelist="",
        input_meta_graph="",
        input_saved_model_dir="",
        saved_model_tags="serve",
    )
    arguments.number("checkpoint_version", 2)
    arguments.truths(input_binary=False, clear_devices=True)
    # Its name in TensorFlow 1, and in later ones.
    arguments.add_argument(
        "--variable_names_blacklist",
        "--variable_names_denylist",
        dest="variable_names_denylist",
        default="",
    )
    main((), arguments.parse_args())
