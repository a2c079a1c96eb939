"""MethodNameUpdater: changes what servers take the signatures of a SavedModel for."""

from __future__ import annotations

import os
from typing import Any

from dataflow.saving.saved_model.files import parse_saved_model, write_saved_model
from dataflow.saving.saved_model.paths import folder_path, get_saved_model_pbtxt_path
from dataflow.values import logging


class MethodNameUpdater:
    """Changes the method names of a SavedModel's signatures.

    Args:
      export_dir: The folder.

    Raises:
      OSError: There is no SavedModel, or it cannot be read.
    """

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = folder_path(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    def replace_method_name(self, signature_key: str, method_name: str, tags: Any = None) -> None:
        """Gives a signature a method.

        Args:
          signature_key: The signature.
          method_name: The method.
          tags: The tag or tags of a graph; all graphs if None.

        Raises:
          ValueError: A name is empty, no graph has these tags, or one lacks the signature.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        if tags is not None and not isinstance(tags, list):
            tags = [tags]
        found = False
        for meta_graph in self._saved_model.meta_graphs:
            if tags is not None and set(tags) != set(meta_graph.meta_info_def.tags):
                continue
            if signature_key not in meta_graph.signature_def:
                raise ValueError(
                    f"MetaGraphDef associated with tags {tags} does not have a signature_def with "
                    f"key: '{signature_key}'. This means either you specified the wrong signature "
                    "key or forgot to put the signature_def with the corresponding key in your "
                    "SavedModel."
                )
            meta_graph.signature_def[signature_key].method_name = method_name
            found = True
        if not found:
            raise ValueError(
                f"MetaGraphDef associated with tags {tags} could not be found in SavedModel. This "
                "means either you specified invalid tags or your SavedModel does not have a "
                "MetaGraphDef with the specified tags."
            )

    def save(self, new_export_dir: Any = None) -> None:
        """Writes the SavedModel's file.

        Args:
          new_export_dir: Where to; over the one that was read if None.
        """
        as_text = os.path.exists(get_saved_model_pbtxt_path(self._export_dir))
        path = write_saved_model(self._saved_model, new_export_dir or self._export_dir, as_text)
        logging.info("SavedModel written to: %s", path)
