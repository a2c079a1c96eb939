"""Loads SavedModels, and session bundles as if they were ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError

from dataflow.contrib.session_bundle import constants
from dataflow.contrib.session_bundle.session_bundle import (
    load_session_bundle_from_path,
    maybe_session_bundle_dir,
    read_meta_graph,
)
from dataflow.errors import DataLossError
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef
from dataflow.proto.session_bundle_manifest_pb2 import Signatures
from dataflow.saving.saved_model import signature_constants as of_saved_models
from dataflow.saving.saved_model.files import maybe_saved_model_directory
from dataflow.saving.saved_model.loader import load
from dataflow.session.session import Session
from dataflow.values import logging, wire_fault

_DEFAULT = of_saved_models.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def load_session_bundle_or_saved_model_bundle_from_path(
    export_dir: Any, tags: Any = None, target: Any = "", config: Any = None
) -> tuple[Session, MetaGraphDef]:
    """Loads a model into a session: a SavedModel into the default graph, a bundle into a new one.

    Args:
      export_dir: The model's folder.
      tags: Those of the graph of a SavedModel.
      target: Where the session runs.
      config: The session's options.

    Returns:
      The session, and the model's MetaGraph; one of a bundle has got signatures as SavedModels
      have them.

    Raises:
      RuntimeError: There is no model there, or a bundle that is not to be understood.
      DataLossError: Bytes of a bundle are no message; the message names file and place.
    """
    if maybe_saved_model_directory(export_dir):
        session = Session(target, graph=None, config=config)
        return session, load(session, tags, export_dir)
    if maybe_session_bundle_dir(export_dir):
        return load_session_bundle_from_path(export_dir, target, config, _converted(export_dir))
    raise RuntimeError(
        "SessionBundle or SavedModelBundle not found at specified export location: "
        f"{os.fspath(export_dir)}"
    )


def _converted(export_dir: Any) -> MetaGraphDef:
    """The MetaGraph of a bundle, with signatures."""
    meta_graph = read_meta_graph(export_dir)
    if meta_graph.signature_def:
        raise RuntimeError("Legacy graph contains signature def, unable to up-convert.")
    signatures = _signatures_of(meta_graph, export_dir)
    default = _of_default(signatures) if signatures.HasField("default_signature") else None
    if default is not None:
        meta_graph.signature_def[_DEFAULT].CopyFrom(default)
    if len(signatures.named_signatures) > 1:
        key = _DEFAULT if default is None else f"{_DEFAULT}_from_named"
        meta_graph.signature_def[key].CopyFrom(_of_named(signatures))
    return meta_graph


def _signatures_of(meta_graph: MetaGraphDef, export_dir: Any) -> Signatures:
    packed = meta_graph.collection_def[constants.SIGNATURES_KEY].any_list.value
    if len(packed) != 1:
        raise RuntimeError(
            f"{os.fspath(export_dir)}: a bundle has one entry in its collection "
            f"{constants.SIGNATURES_KEY}, this one has {len(packed)}. Export it with signatures."
        )
    try:
        return Signatures.FromString(packed[0].value)
    except DecodeError:
        fault = wire_fault.find(packed[0].value, Signatures.DESCRIPTOR)
    raise DataLossError(None, None, f"{os.fspath(export_dir)}: no signatures: {fault}")


def _of_default(signatures: Signatures) -> SignatureDef | None:
    signature = signatures.default_signature
    kind = signature.WhichOneof("type")
    if kind == constants.REGRESSION_SIGNATURE:
        told = signature.regression_signature
        return _signature(
            of_saved_models.REGRESS_METHOD_NAME,
            {of_saved_models.REGRESS_INPUTS: told.input},
            {of_saved_models.REGRESS_OUTPUTS: told.output},
        )
    if kind == constants.CLASSIFICATION_SIGNATURE:
        classes = signature.classification_signature
        return _signature(
            of_saved_models.CLASSIFY_METHOD_NAME,
            {of_saved_models.CLASSIFY_INPUTS: classes.input},
            {
                of_saved_models.CLASSIFY_OUTPUT_CLASSES: classes.classes,
                of_saved_models.CLASSIFY_OUTPUT_SCORES: classes.scores,
            },
        )
    logging.error(
        "Only classification and regression default signatures are supported for up-conversion. "
        "%s is not supported",
        kind,
    )
    return None


def _of_named(signatures: Signatures) -> SignatureDef:
    inputs, outputs = (
        signatures.named_signatures[key]
        for key in (of_saved_models.PREDICT_INPUTS, of_saved_models.PREDICT_OUTPUTS)
    )
    kinds = [each.WhichOneof("type") for each in (inputs, outputs)]
    if kinds != [constants.GENERIC_SIGNATURE] * 2:
        raise RuntimeError(
            "Named input and output signatures can only be up-converted if they are generic "
            f"signature. Input signature type is {kinds[0]}, output signature type is {kinds[1]}"
        )
    return _signature(
        of_saved_models.PREDICT_METHOD_NAME,
        inputs.generic_signature.map,
        outputs.generic_signature.map,
    )


def _signature(method: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> SignatureDef:
    made = SignatureDef(method_name=method)
    for infos, bindings in ((made.inputs, inputs), (made.outputs, outputs)):
        for key, binding in bindings.items():
            infos[key].name = binding.tensor_name
    return made
