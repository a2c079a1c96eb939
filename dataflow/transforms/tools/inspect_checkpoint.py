"""The tool that prints what is in a checkpoint."""

from __future__ import annotations

import sys

from dataflow.transforms.inspect_checkpoint import (
    parse_numpy_printoption,
    print_tensors_in_checkpoint_file,
)
from dataflow.transforms.tools.arguments import Arguments


def run_main() -> None:
    """Prints the tensors of a checkpoint that the command line names."""
    arguments = Arguments("inspect_checkpoint")
    arguments.texts(file_name="", tensor_name="", count_exclude_pattern="")
    arguments.truths(all_tensors=False, all_tensor_names=False)
    arguments.add_argument("--printoptions", nargs="*", type=parse_numpy_printoption)
    flags = arguments.parse_args()
    if not flags.file_name:
        sys.stdout.write(
            "Usage: inspect_checkpoint --file_name=checkpoint_file_name "
            "[--tensor_name=tensor_to_print] [--all_tensors] [--all_tensor_names] "
            "[--printoptions]\n"
        )
        sys.exit(1)
    print_tensors_in_checkpoint_file(
        flags.file_name,
        flags.tensor_name,
        flags.all_tensors,
        flags.all_tensor_names,
        flags.count_exclude_pattern,
    )
