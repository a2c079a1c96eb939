"""The tool that makes a frozen graph one for use after training."""

from __future__ import annotations

import sys

from dataflow.library.files import gfile
from dataflow.transforms.files import read_graph, write_graph_file
from dataflow.transforms.inference import optimize_for_inference
from dataflow.transforms.tools.arguments import Arguments
from dataflow.values import dtypes


def run_main() -> None:
    """Rewrites the graph in a file as the command line says; ends with 255 if it is not there."""
    arguments = Arguments("optimize_for_inference")
    arguments.texts(
        input="",
        output="",
        input_names="",
        output_names="",
        placeholder_type_enum=str(dtypes.float32.as_datatype_enum),
    )
    arguments.truths(frozen_graph=True, toco_compatible=False)
    flags = arguments.parse_args()
    if not gfile.exists(flags.input):
        sys.stdout.write(f"Input graph file '{flags.input}' does not exist!\n")
        sys.exit(-1)
    kinds = [int(number) for number in flags.placeholder_type_enum.split(",")]
    made = optimize_for_inference(
        read_graph(flags.input, flags.frozen_graph),
        flags.input_names.split(","),
        flags.output_names.split(","),
        kinds if len(kinds) > 1 else kinds[0],
        flags.toco_compatible,
    )
    write_graph_file(made, flags.output, flags.frozen_graph)
