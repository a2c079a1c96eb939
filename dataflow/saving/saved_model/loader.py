"""Loads a graph of a SavedModel into a session, restores its variables and runs its init op."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.import_meta_graph import import_meta_graph_with_return_elements
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.assets import get_asset_tensors
from dataflow.saving.saved_model.files import parse_saved_model
from dataflow.saving.saved_model.paths import folder_path, get_variables_path
from dataflow.saving.saved_model.signature_defs import load_op_from_signature_def
from dataflow.saving.saver import Saver, path_for
from dataflow.values import logging


def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Adds a graph of a SavedModel to a session's, and gives its variables their values.

    Args:
      sess: The session.
      tags: The tags of the graph, all of them.
      export_dir: The folder.
      import_scope: A name scope to put what is added in.
      **saver_kwargs: Further arguments of `import_meta_graph`.

    Returns:
      The MetaGraphDef, with names without `import_scope`.

    Raises:
      OSError: There is no SavedModel, or it cannot be read.
      RuntimeError: No graph has these tags.
      InvalidArgumentError: An asset lies outside of the SavedModel.
      DataLossError: The files of the variables are damaged.
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader:
    """A SavedModel that was read, whose graphs can be loaded.

    Args:
      export_dir: The folder.

    Raises:
      OSError: There is no SavedModel, or it cannot be read.
    """

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = folder_path(export_dir)
        self._variables_path = get_variables_path(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self) -> str:
        """The folder."""
        return self._export_dir

    @property
    def variables_path(self) -> str:
        """The prefix of the checkpoint."""
        return self._variables_path

    @property
    def saved_model(self) -> SavedModel:
        """What was read."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> MetaGraphDef:
        """The graph of exactly these tags.

        Raises:
          RuntimeError: There is none.
        """
        wanted = set(tags)
        available = [set(each.meta_info_def.tags) for each in self._saved_model.meta_graphs]
        for each, found in zip(self._saved_model.meta_graphs, available, strict=True):
            if found == wanted:
                return each
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in "
            f"SavedModel, with available tags '{available}'. To inspect available tag-sets in the "
            "SavedModel, please use the SavedModel CLI: `saved_model_cli`."
        )

    def load_graph(
        self,
        graph: Graph,
        tags: Iterable[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> tuple[Saver | None, list[Any] | None]:
        """Adds the nodes and collections of a graph.

        Args:
          graph: Where to.
          tags: The tags of the graph.
          import_scope: A name scope to put what is added in.
          **saver_kwargs: Further arguments of `import_meta_graph`.

        Returns:
          The Saver, None if there are no variables, and the elements that
          `return_elements` asked for.
        """
        meta_graph = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return import_meta_graph_with_return_elements(
                meta_graph, import_scope=import_scope, **saver_kwargs
            )

    def restore_variables(self, sess: Any, saver: Any, import_scope: str | None = None) -> None:
        """Gives the variables the values that were saved.

        Args:
          sess: The session.
          saver: What `load_graph` returned.
          import_scope: The name scope of the variables.

        Raises:
          ValueError: There are variables and no saver.
        """
        with sess.graph.as_default():
            if isinstance(saver, Saver):
                saver.restore(sess, self._variables_path)
                return
            keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
            if saver is not None or any(scopes.get_collection(k, import_scope) for k in keys):
                raise ValueError(
                    "No tf.train.Saver object was passed to the function "
                    "`SavedModelLoader.restore_variables`. Since there are variables in the graph, "
                    "a saver is required."
                )
            logging.info("The specified SavedModel has no variables; no checkpoints were restored.")

    def run_init_ops(self, sess: Any, tags: Iterable[str], import_scope: str | None = None) -> None:
        """Runs the main op of a graph, if it has one, with the paths of its assets.

        Args:
          sess: The session.
          tags: The tags of the graph.
          import_scope: The name scope that it was imported into.
        """
        meta_graph = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            feeds = get_asset_tensors(path_for(sess, self._export_dir), meta_graph, import_scope)
            init_op = get_init_op(meta_graph, import_scope)
            if init_op is not None:
                sess.run([init_op], feeds)

    def load(
        self,
        sess: Any,
        tags: Iterable[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> MetaGraphDef:
        """Adds a graph, restores its variables and runs its main op; see `load`."""
        tags = list(tags) if not isinstance(tags, (list, tuple, set, frozenset)) else tags
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def get_init_op(meta_graph_def: MetaGraphDef, import_scope: str | None = None) -> Any:
    """What a graph, which was imported into the default one, runs when it is loaded, or None.

    Args:
      meta_graph_def: The graph.
      import_scope: The name scope that it was imported into.

    Raises:
      NotFoundError: What it names is not in the graph.
      RuntimeError: A collection names several.
    """
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in meta_graph_def.signature_def:
        return load_op_from_signature_def(meta_graph_def.signature_def[key], key, import_scope)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        found = _from_collection(meta_graph_def, key, import_scope)
        if found is not None:
            return found
    return None


def get_train_op(meta_graph_def: MetaGraphDef, import_scope: str | None = None) -> Any:
    """What trains the model of a graph, or None; see `get_init_op`."""
    key = constants.TRAIN_OP_SIGNATURE_KEY
    if key in meta_graph_def.signature_def:
        return load_op_from_signature_def(meta_graph_def.signature_def[key], key, import_scope)
    return _from_collection(meta_graph_def, constants.TRAIN_OP_KEY, import_scope)


def _from_collection(meta_graph: MetaGraphDef, key: str, import_scope: str | None) -> Any:
    if key not in meta_graph.collection_def:
        return None
    names = meta_graph.collection_def[key].node_list.value
    if len(names) != 1:
        raise RuntimeError(
            f"Expected exactly one SavedModel init op. Found {len(names)}: {list(names)}."
        )
    return scopes.get_collection(key, import_scope)[-1]
