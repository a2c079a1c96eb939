"""simple_save: a graph for serving, by one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.saving.saved_model.builder import SavedModelBuilder
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.saved_model.signature_defs import predict_signature_def
from dataflow.saving.saved_model.tag_constants import SERVING


def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Writes the default graph with the variables of a session as a SavedModel for serving.

    Args:
      session: The session.
      export_dir: The folder.
      inputs: Tensors by the names that they have in the signature.
      outputs: Tensors by the names that they have in the signature.
      legacy_init_op: The operation that runs after the variables were restored.

    Raises:
      AssertionError: The folder is not empty.
      ValueError: There are no inputs, or no outputs.
    """
    signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)}
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=[SERVING],
        signature_def_map=signatures,
        assets_collection=scopes.get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
