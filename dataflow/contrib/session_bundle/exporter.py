"""Writes session bundles: numbered folders of a MetaGraph, its variables and files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from dataflow.contrib.session_bundle import constants, gc
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.library.compatibility import as_str_any
from dataflow.library.files import gfile
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.session_bundle_manifest_pb2 import AssetFile, Signature, Signatures
from dataflow.saving.saver import Saver
from dataflow.training.global_step import global_step
from dataflow.values import dtypes, logging


def gfile_copy_callback(files_to_copy: Mapping[Any, Any], export_dir_path: Any) -> None:
    """Copies files into a folder, where they replace others.

    Args:
      files_to_copy: Their names there by their paths.
      export_dir_path: The folder.
    """
    logging.info("Write assets into: %s using gfile_copy.", export_dir_path)
    gfile.make_dirs(export_dir_path)
    for source, name in files_to_copy.items():
        path = os.path.join(as_str_any(export_dir_path), as_str_any(name))
        logging.info("Copying asset %s to path %s.", source, path)
        gfile.copy(source, path, overwrite=True)


def regression_signature(input_tensor: Any, output_tensor: Any) -> Signature:
    """The signature of a model that gives a number."""
    signature = Signature()
    signature.regression_signature.input.tensor_name = input_tensor.name
    signature.regression_signature.output.tensor_name = output_tensor.name
    return signature


def classification_signature(
    input_tensor: Any, classes_tensor: Any = None, scores_tensor: Any = None
) -> Signature:
    """The signature of a model that gives classes, their scores, or both."""
    signature = Signature()
    made = signature.classification_signature
    made.input.tensor_name = input_tensor.name
    if classes_tensor is not None:
        made.classes.tensor_name = classes_tensor.name
    if scores_tensor is not None:
        made.scores.tensor_name = scores_tensor.name
    return signature


def generic_signature(name_tensor_map: Mapping[str, Any]) -> Signature:
    """A signature that calls tensors by names."""
    signature = Signature()
    for name, tensor in name_tensor_map.items():
        signature.generic_signature.map[name].tensor_name = tensor.name
    return signature


class Exporter:
    """Exports what a Saver saves, and the graph with it."""

    def __init__(self, saver: Saver) -> None:
        """Takes the Saver; that it removes old checkpoints does not count."""
        saver_def = saver.as_saver_def()
        saver_def.ClearField("max_to_keep")
        self._saver = Saver(saver_def=saver_def)
        self._has_init = False
        self._assets_to_copy: dict[bytes, bytes] = {}
        self._assets_callback: Callable[[Any, Any], None] | None = None

    def init(
        self,
        graph_def: GraphDef | None = None,
        init_op: Any = None,
        clear_devices: bool = False,
        default_graph_signature: Signature | None = None,
        named_graph_signatures: Mapping[str, Signature] | None = None,
        assets_collection: Sequence[Any] | None = None,
        assets_callback: Callable[[Any, Any], None] | None = gfile_copy_callback,
    ) -> None:
        """Says what is exported, in collections of the default graph.

        Args:
          graph_def: What is served, if it is not the default graph.
          init_op: Runs when the bundle has been loaded.
          clear_devices: Whether the served graph names no devices.
          default_graph_signature: What the model takes and gives.
          named_graph_signatures: More signatures, by their names.
          assets_collection: Constants that hold paths of files that belong to the model.
          assets_callback: Copies them: takes their names by their paths, and the folder.

        Raises:
          RuntimeError: It was called before.
          TypeError: `init_op` is no Operation, or an asset no constant string.
          ValueError: An asset's path is empty.
        """
        assets = []
        for tensor in assets_collection or ():
            path = _path(tensor)
            if not path:
                raise ValueError(f"invalid asset filepath tensor {tensor}")
            assets.append((os.path.basename(path), tensor))
            self._assets_to_copy[path] = os.path.basename(path)
        if self._has_init:
            raise RuntimeError("init should be called only once")
        self._has_init = True
        if graph_def is not None or clear_devices:
            served = GraphDef()
            served.CopyFrom(graph_def or get_default_graph().as_graph_def())
            for node in served.node if clear_devices else ():
                node.device = ""
            add_to_collection(constants.GRAPH_KEY, _packed(served))
        if init_op is not None:
            if not isinstance(init_op, Operation):
                raise TypeError(f"init_op needs to be an Operation: {init_op}")
            add_to_collection(constants.INIT_OP_KEY, init_op)
        signatures = Signatures(default_signature=default_graph_signature)
        for name, signature in (named_graph_signatures or {}).items():
            signatures.named_signatures[name].CopyFrom(signature)
        add_to_collection(constants.SIGNATURES_KEY, _packed(signatures))
        for file_name, tensor in assets:
            asset = AssetFile(filename=as_str_any(file_name))
            asset.tensor_binding.tensor_name = tensor.name
            add_to_collection(constants.ASSETS_KEY, _packed(asset))
        self._assets_callback = assets_callback

    def export(
        self,
        export_dir_base: Any,
        global_step_tensor: Any,
        sess: Any = None,
        exports_to_keep: gc.Filter | None = None,
    ) -> bytes:
        """Writes a bundle into a folder that appears when all is there.

        Args:
          export_dir_base: The folder of all exports.
          global_step_tensor: Gives the number that the new folder is named after.
          sess: Holds the variables.
          exports_to_keep: Chooses which exports stay; all if None.

        Returns:
          The new folder's path.

        Raises:
          RuntimeError: `init` was not called, or there is such an export.
        """
        if not self._has_init:
            raise RuntimeError("init must be called first")
        base = as_str_any(export_dir_base).removesuffix("/")
        number = constants.VERSION_FORMAT_SPECIFIER % global_step(sess, global_step_tensor)
        folder = os.path.join(base, number)
        if gfile.exists(folder):
            raise RuntimeError(
                "Overwriting exports can cause corruption and are not allowed. "
                f"Duplicate export dir: {folder.encode()!r}"
            )
        unfinished = f"{folder}-tmp"
        gfile.make_dirs(unfinished)
        self._saver.save(
            sess,
            os.path.join(unfinished, constants.EXPORT_BASE_NAME),
            meta_graph_suffix=constants.EXPORT_SUFFIX_NAME,
        )
        if self._assets_callback is not None and self._assets_to_copy:
            assets = os.path.join(unfinished, constants.ASSETS_DIRECTORY)
            gfile.make_dirs(assets)
            self._assets_callback(self._assets_to_copy, assets.encode())
        gfile.rename(unfinished, folder)
        if exports_to_keep is not None:
            for path in gc.negation(exports_to_keep)(gc.get_paths(base, _numbered)):
                gfile.delete_recursively(path.path)
        return folder.encode()


def _numbered(path: gc.Path) -> gc.Path | None:
    name = os.path.basename(path.path)
    return path._replace(export_version=int(name)) if re.fullmatch(r"\d{8}", name) else None


def _packed(message: Any) -> AnyMessage:
    """A message as files hold it, by the name that TensorFlow has for it."""
    name = message.DESCRIPTOR.full_name.replace("dataflow.", "tensorflow.", 1)
    return AnyMessage(
        type_url=f"type.googleapis.com/{name}",
        value=message.SerializeToString(deterministic=True),
    )


def _path(tensor: Any) -> bytes:
    """What a constant of a path holds."""
    if not isinstance(tensor, Tensor):
        raise TypeError("tensor is not a Tensor")
    if tensor.op.type != "Const":
        raise TypeError("Only constants tensor are supported")
    if tensor.dtype != dtypes.string:
        raise TypeError("File paths should be string")
    values = tensor.op.get_attr("value").string_val
    if len(values) != 1:
        raise TypeError("Only scalar tensors are supported")
    return bytes(values[0])
