"""The tool that keeps of a graph what its outputs need."""

from __future__ import annotations

from dataflow.transforms.strip_unused import strip_unused_from_files
from dataflow.transforms.tools.arguments import Arguments
from dataflow.values import dtypes


def run_main() -> None:
    """Strips the graph in a file as the command line says."""
    arguments = Arguments("strip_unused")
    arguments.texts(input_graph="", output_graph="", input_node_names="", output_node_names="")
    arguments.truths(input_binary=False, output_binary=True)
    arguments.number("placeholder_type_enum", dtypes.float32.as_datatype_enum)
    flags = arguments.parse_args()
    strip_unused_from_files(
        flags.input_graph,
        flags.input_binary,
        flags.output_graph,
        flags.output_binary,
        flags.input_node_names,
        flags.output_node_names,
        flags.placeholder_type_enum,
    )
