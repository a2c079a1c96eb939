"""Reading checkpoints without a graph: NewCheckpointReader, list_variables, load_variable."""

from __future__ import annotations

import os
from typing import Any

from dataflow.checkpoints.legacy import open_checkpoint
from dataflow.errors import NotFoundError
from dataflow.proto.types_pb2 import DataType
from dataflow.saving.state import latest_checkpoint
from dataflow.values.dtypes import DType
from dataflow.values.system_errors import local_path, system_errors


class CheckpointReader:
    """The tensors of a checkpoint, by name.

    Args:
      filename: Prefix of the checkpoint; of a V1 checkpoint its file, or a pattern of its files.

    Raises:
      NotFoundError: There is none.
      DataLossError: A file is damaged; the error names it.
    """

    def __init__(self, filename: str) -> None:
        with system_errors():
            self._reader = open_checkpoint(local_path(filename))
        self._tensors = self._reader.tensors()

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._tensors

    def get_tensor(self, tensor_str: Any) -> Any:
        """The value of a tensor: a numpy array; a numpy scalar or `bytes` if it is a scalar.

        Raises:
          NotFoundError: There is no such tensor.
          DataLossError: Its data are damaged; the error names the file and the tensor.
        """
        name = os.fsdecode(tensor_str)
        if name not in self._tensors:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        with system_errors():
            value = self._reader.read(name)
        return value if value.ndim else value[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Shapes by name."""
        return {name: list(shape) for name, (_, shape) in self._tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Element types by name."""
        return {name: dtype for name, (dtype, _) in self._tensors.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor: name, type, shape."""
        lines = []
        for name, (dtype, shape) in sorted(self._tensors.items()):
            kind = DataType.Name(dtype.as_datatype_enum)
            lines.append(f"{name} ({kind}) [{','.join(map(str, shape))}]\n")
        return "".join(lines).encode()


def new_checkpoint_reader(filepattern: str | os.PathLike[str]) -> CheckpointReader:
    """A reader of a checkpoint.

    Args:
      filepattern: Prefix of the checkpoint; of a V1 checkpoint its file, or a pattern of its files.
    """
    return CheckpointReader(local_path(filepattern))


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint.

    Args:
      ckpt_dir_or_file: Its prefix, or a folder, of which it is the newest.

    Raises:
      ValueError: The folder has none.
    """
    return new_checkpoint_reader(resolved(ckpt_dir_or_file))


def resolved(ckpt_dir_or_file: Any) -> str:
    """The prefix of a checkpoint that is given by it, or by its folder."""
    path = local_path(ckpt_dir_or_file)
    if not os.path.isdir(path):
        return str(path)
    found = latest_checkpoint(path)
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}"
        )
    return found


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value of a variable in a checkpoint.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder, of which it is the newest.
      name: The variable's name, with or without `:0`.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of the variables in a checkpoint, by name.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder, of which it is the newest.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
