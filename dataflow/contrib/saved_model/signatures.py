"""Signatures of a MetaGraphDef by key."""

from __future__ import annotations

from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef


def get_signature_def_by_key(meta_graph_def: MetaGraphDef, signature_def_key: str) -> SignatureDef:
    """The signature of a key.

    Raises:
      ValueError: There is none.
    """
    if signature_def_key not in meta_graph_def.signature_def:
        raise ValueError(f"No SignatureDef with key '{signature_def_key}' found in MetaGraphDef.")
    return meta_graph_def.signature_def[signature_def_key]
