"""Assets: the files that a graph reads, copied into its SavedModel and found there again."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Callable, Iterable
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.graph.tensor import Tensor
from dataflow.proto.meta_graph_pb2 import AssetFileDef, MetaGraphDef
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.paths import get_assets_dir, get_or_create_assets_dir
from dataflow.values import dtypes, logging


def copy_assets(
    assets: Iterable[Any] | None,
    export_dir: str,
    copied: set[str],
    add: Callable[[AssetFileDef], None],
) -> None:
    """Copies the files that constants name to the folder of the assets.

    Args:
      assets: String constants with paths of files.
      export_dir: Where to.
      copied: The paths that were written already, which grow.
      add: Is called with each asset's tensor and its name in the folder.

    Raises:
      TypeError: An asset is no string constant of one path.
      ValueError: A path is empty.
    """
    if assets is None:
        return
    sources: dict[str, str] = {}
    for tensor in assets:
        path = _path(tensor)
        if not path:
            raise ValueError(f"Asset filepath tensor {tensor} in is invalid.")
        name = _name_for(path, sources)
        asset = AssetFileDef(filename=name)
        asset.tensor_info.name = tensor.name
        add(asset)
        sources[name] = path
    if not sources:
        return
    folder = get_or_create_assets_dir(export_dir)
    for name, source in sources.items():
        target = os.path.join(folder, name)
        if os.path.exists(source) and source != target and target not in copied:
            shutil.copyfile(source, target)
            copied.add(target)
    logging.info("Assets written to: %s", folder)


def _path(tensor: Any) -> str:
    """The path that a constant holds."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(
            f"Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} "
            "instead."
        )
    if tensor.dtype != dtypes.string:
        raise TypeError(
            f"Asset path tensor {tensor}` must be of dtype string.Has type {tensor.dtype} instead."
        )
    values = tensor.op.get_attr("value").string_val
    if len(values) != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    return os.fsdecode(values[0])


def _name_for(path: str, sources: dict[str, str]) -> str:
    """A file's name among the assets: one that another file has is given a number."""
    name = os.path.basename(path)
    other = sources.get(name)
    if other is None or other == path or filecmp.cmp(path, other, shallow=False):
        return name
    number = 1
    while f"{name}_{number}" in sources:
        number += 1
    return f"{name}_{number}"


def assets_of(meta_graph: MetaGraphDef) -> list[AssetFileDef]:
    """The assets of a MetaGraphDef, of its field or its collection.

    Raises:
      InvalidArgumentError: The collection holds something else.
    """
    if meta_graph.asset_file_def:
        return list(meta_graph.asset_file_def)
    if constants.ASSETS_KEY not in meta_graph.collection_def:
        return []
    found = []
    for packed in meta_graph.collection_def[constants.ASSETS_KEY].any_list.value:
        # In a MetaGraph that TensorFlow wrote it is of TensorFlow's package.
        if packed.TypeName().rpartition(".")[2] != "AssetFileDef":
            raise InvalidArgumentError(
                None, None, f"An asset of the SavedModel is no AssetFileDef: {packed.type_url}"
            )
        found.append(AssetFileDef.FromString(packed.value))
    return found


def get_asset_tensors(
    export_dir: Any, meta_graph_def_to_load: MetaGraphDef, import_scope: str | None = None
) -> dict[str, str]:
    """The paths of the assets by the names of their tensors.

    Args:
      export_dir: The folder of the SavedModel.
      meta_graph_def_to_load: The graph.
      import_scope: The name scope that it was imported into.

    Raises:
      InvalidArgumentError: An asset lies outside of the folder of the assets.
    """
    found = {}
    for asset in assets_of(meta_graph_def_to_load):
        name = asset.tensor_info.name
        found[f"{import_scope}/{name}" if import_scope else name] = path_of(export_dir, asset)
    return found


def path_of(export_dir: Any, asset: AssetFileDef) -> str:
    """Where an asset of a SavedModel lies.

    Raises:
      InvalidArgumentError: It lies outside of the folder of the assets.
    """
    parts = asset.filename.replace("\\", "/").split("/")
    if os.path.isabs(asset.filename) or ".." in parts or "\0" in asset.filename:
        raise InvalidArgumentError(
            None,
            None,
            f"The asset '{asset.filename}' of tensor '{asset.tensor_info.name}' lies outside of "
            f"the SavedModel's folder {constants.ASSETS_DIRECTORY}.",
        )
    return os.path.join(get_assets_dir(export_dir), asset.filename)
