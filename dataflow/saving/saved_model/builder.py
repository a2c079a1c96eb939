"""SavedModelBuilder: writes graphs, their variables and the files they need to a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.proto.meta_graph_pb2 import AssetFileDef, MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.proto.types_pb2 import DT_INVALID
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.assets import copy_assets
from dataflow.saving.saved_model.files import write_saved_model
from dataflow.saving.saved_model.paths import (
    folder_path,
    get_or_create_variables_dir,
    get_variables_path,
)
from dataflow.saving.saved_model.signature_defs import op_signature_def
from dataflow.saving.saver import Saver
from dataflow.values import logging

_Signatures = Mapping[str, Any] | None


class _SavedModelBuilder:
    """Writes a SavedModel; assets are fields of the graphs, and the init op is a signature.

    The first graph is added with the session that has the variables, and others share them.

    Args:
      export_dir: The folder, made if missing.

    Raises:
      AssertionError: The folder is not empty.
    """

    def __init__(self, export_dir: Any) -> None:
        self._saved_model = SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._export_dir = folder_path(export_dir)
        if os.path.exists(self._export_dir):
            if os.listdir(self._export_dir):
                raise AssertionError(
                    f"Export directory {self._export_dir} already exists, and isn't empty. Please "
                    "choose a different export directory, or delete all the contents of the "
                    "specified directory."
                )
        else:
            os.makedirs(self._export_dir)
        self._has_saved_variables = False
        self._saved_asset_files: set[str] = set()

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: _Signatures = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, whose variables were saved with another one.

        Args:
          tags: What it is found by.
          signature_def_map: SignatureDefs by key.
          assets_list: String constants with paths of files.
          clear_devices: Whether to leave devices out.
          init_op: What runs after the variables were restored, when the graph is loaded.
          train_op: What trains the model; it is only named.
          saver: Saves the variables; one of all of them if None.

        Raises:
          AssertionError: No variables were saved yet, or a signature is incomplete.
          KeyError: A signature has a reserved key.
        """
        self._check_saved()
        signatures = _with_ops(signature_def_map, init_op, train_op)
        meta_graph = _saver(saver).export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=True
        )
        self._copy_assets(assets_list, meta_graph.asset_file_def.append)
        self._add(meta_graph, tags, signatures)

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: _Signatures = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, and saves the variables of a session.

        Args:
          sess: The session.
          tags: What the graph is found by.
          signature_def_map: SignatureDefs by key.
          assets_list: String constants with paths of files.
          clear_devices: Whether to leave devices out.
          init_op: What runs after the variables were restored, when the graph is loaded.
          train_op: What trains the model; it is only named.
          strip_default_attrs: Whether to leave out attrs that have their default.
          saver: Saves the variables; one of all of them if None.

        Raises:
          AssertionError: Variables were saved before, or a signature is incomplete.
          KeyError: A signature has a reserved key.
        """
        self._check_not_saved()
        signatures = _with_ops(signature_def_map, init_op, train_op)
        saver = self._save_variables(sess, saver)
        meta_graph = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        self._copy_assets(assets_list, meta_graph.asset_file_def.append)
        self._add(meta_graph, tags, signatures)
        self._has_saved_variables = True

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ) -> bytes:
        """Writes the graphs to the folder.

        Args:
          as_text: Writes protobuf text rather than binary.
          experimental_image_format: Not supported, as in TensorFlow's packages.
          experimental_image_writer_options: Of that format.

        Returns:
          The path of the file.

        Raises:
          RuntimeError: `experimental_image_format` is set.
        """
        if experimental_image_format and not as_text:
            raise RuntimeError(
                "No proto_splitter is provided, cannot use experimental_image_format."
            )
        path = write_saved_model(self._saved_model, self._export_dir, as_text)
        logging.info("SavedModel written to: %s", path)
        return os.fsencode(path)

    def _check_saved(self) -> None:
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )

    def _check_not_saved(self) -> None:
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )

    def _save_variables(self, sess: Any, saver: Saver | None) -> Saver:
        get_or_create_variables_dir(self._export_dir)
        saver = _saver(saver)
        path = get_variables_path(self._export_dir)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        return saver

    def _copy_assets(
        self, assets: Iterable[Any] | None, add: Callable[[AssetFileDef], None]
    ) -> None:
        copy_assets(assets, self._export_dir, self._saved_asset_files, add)

    def _add(
        self, meta_graph: MetaGraphDef, tags: Iterable[str], signatures: Mapping[str, Any]
    ) -> None:
        meta_graph.meta_info_def.tags.extend(tags)
        for key, signature in signatures.items():
            meta_graph.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.append(meta_graph)


class SavedModelBuilder(_SavedModelBuilder):
    """Writes a SavedModel as TensorFlow 1 does: assets and the main op are collections.

    The first graph is added with the session that has the variables, and others share them.

    Args:
      export_dir: The folder, made if missing.

    Raises:
      AssertionError: The folder is not empty.
    """

    def add_meta_graph(  # type: ignore[override]
        self,
        tags: Iterable[str],
        signature_def_map: _Signatures = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, whose variables were saved with another one.

        Args:
          tags: What it is found by.
          signature_def_map: SignatureDefs by key.
          assets_collection: String constants with paths of files.
          legacy_init_op: The former name of `main_op`.
          clear_devices: Whether to leave devices out.
          main_op: The operation that runs after the variables were restored.
          strip_default_attrs: Whether to leave out attrs that have their default.
          saver: Saves the variables; one of all of them if None.

        Raises:
          AssertionError: No variables were saved yet, or a signature is incomplete.
          KeyError: A signature has a reserved key.
          TypeError: `main_op` is no operation.
          ValueError: The graph has a main op already.
        """
        self._check_saved()
        signatures = _with_ops(signature_def_map)
        self._collect(assets_collection, main_op if main_op is not None else legacy_init_op)
        meta_graph = _saver(saver).export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        self._add(meta_graph, tags, signatures)

    def add_meta_graph_and_variables(  # type: ignore[override]
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: _Signatures = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, and saves the variables of a session.

        Args:
          sess: The session.
          tags: What the graph is found by.
          signature_def_map: SignatureDefs by key.
          assets_collection: String constants with paths of files.
          legacy_init_op: The former name of `main_op`.
          clear_devices: Whether to leave devices out.
          main_op: The operation that runs after the variables were restored.
          strip_default_attrs: Whether to leave out attrs that have their default.
          saver: Saves the variables; one of all of them if None.

        Raises:
          AssertionError: Variables were saved before, or a signature is incomplete.
          KeyError: A signature has a reserved key.
          TypeError: `main_op` is no operation.
          ValueError: The graph has a main op already.
        """
        self._check_not_saved()
        signatures = _with_ops(signature_def_map)
        self._collect(assets_collection, main_op if main_op is not None else legacy_init_op)
        saver = self._save_variables(sess, saver)
        meta_graph = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        self._add(meta_graph, tags, signatures)
        self._has_saved_variables = True

    def _collect(self, assets: Iterable[Any] | None, main_op: Any) -> None:
        """Puts assets and the main op into collections of the default graph."""
        self._copy_assets(assets, _add_to_collection)
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(
                f"Expected {main_op} to be an Operation but got type {type(main_op)} instead."
            )
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if scopes.get_collection(key):
                raise ValueError(
                    f"Graph already contains one or more main ops under the collection {key}."
                )
        scopes.add_to_collection(constants.MAIN_OP_KEY, main_op)


def _add_to_collection(asset: AssetFileDef) -> None:
    packed = AnyMessage()
    packed.Pack(asset)
    scopes.add_to_collection(constants.ASSETS_KEY, packed)


def _saver(saver: Saver | None) -> Saver:
    if saver:
        return saver
    everything = [
        *scopes.get_collection(GraphKeys.GLOBAL_VARIABLES),
        *scopes.get_collection(GraphKeys.SAVEABLE_OBJECTS),
    ]
    return Saver(everything, sharded=True, write_version=SaverDef.V2, allow_empty=True)


def _with_ops(
    signatures: _Signatures, init_op: Any = None, train_op: Any = None
) -> Mapping[str, Any]:
    """The signatures, which are valid, and those of the two operations."""
    found: dict[str, Any] = dict(signatures or {})
    for signature in found.values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            _check_info(info)
    for key, role in (
        (constants.INIT_OP_SIGNATURE_KEY, "initialization"),
        (constants.TRAIN_OP_SIGNATURE_KEY, "the train op"),
    ):
        if key in found:
            raise KeyError(
                f'SignatureDef map key "{key}" is reserved for {role}. Please use a different key.'
            )
    for key, op in (
        (constants.INIT_OP_SIGNATURE_KEY, init_op),
        (constants.TRAIN_OP_SIGNATURE_KEY, train_op),
    ):
        if op is not None:
            if not isinstance(op, (Operation, Tensor)):
                raise TypeError(f"{op} needs to be a Tensor or Op.")
            found[key] = op_signature_def(op, key)
    return found


def _check_info(info: Any) -> None:
    encoding = info.WhichOneof("encoding")
    if encoding is None:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must "
            "have one of the 'encoding' fields (e.g., name or coo_sparse) set."
        )
    if encoding == "composite_tensor":
        for component in info.composite_tensor.components:
            _check_info(component)
    elif info.dtype == DT_INVALID:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must "
            "have the dtype field set."
        )
