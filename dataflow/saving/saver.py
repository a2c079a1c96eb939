"""Saver: saves the variables of a session as checkpoints, and restores them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from dataflow.graph import scopes
from dataflow.graph.collection_protos import register_proto_function
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tracebacks import shortened
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.builder import BulkSaverBuilder
from dataflow.saving.meta_graph.collection_defs import write_collection
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.saving.object_names import keys_of_objects
from dataflow.saving.saveables import by_name
from dataflow.saving.state import (
    checkpoint_exists,
    get_checkpoint_mtimes,
    meta_graph_path,
    remove_checkpoint,
    write_state,
)
from dataflow.session.base_session import BaseSession
from dataflow.values import logging
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope
from dataflow.values.system_errors import local_path
from dataflow.variables.partitioned import PartitionedVariable

_NODES = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
"""The fields of a SaverDef that name nodes."""


class Saver:
    """Adds nodes that save and restore variables, and runs them.

    A checkpoint is seen only when it is whole: a process that is killed while it saves leaves the
    last one where `latest_checkpoint` finds it.

    Args:
      var_list: Variables, as a list or by the names they shall have in checkpoints; all that can
        be saved if None.
      reshape: Whether a variable may have another shape in the checkpoint, of as many elements.
      sharded: Whether each device writes its variables itself, to files of its own.
      max_to_keep: How many checkpoints are kept; all if 0 or None.
      keep_checkpoint_every_n_hours: One of that many hours is kept for good.
      name: Name scope of the nodes.
      restore_sequentially: Is passed to the builder; the usual one reads with one operation anyway.
      saver_def: The names of nodes that are in the graph already, instead of adding them.
      builder: A `BaseSaverBuilder` that adds the nodes; one that reads with one op if None.
      defer_build: Adds the nodes when `build` is called.
      allow_empty: Whether there may be no variables; `save` and `restore` then do nothing.
      write_version: The format of the files: `SaverDef.V2`, or `SaverDef.V1` of old programs.
      pad_step_number: Writes the step in file names with eight digits.
      save_relative_paths: Writes paths in the file `checkpoint` relative to its folder.
      filename: The prefix in the graph, that is used where none is fed.

    Raises:
      TypeError: `var_list` is invalid.
      ValueError: There is nothing to save, or the arguments contradict each other.

    >>> v = tf.get_variable("v", initializer=1.0)
    >>> saver = tf.train.Saver()
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
    ...     session.run(v.initializer)
    ...     path = saver.save(session, folder + "/model", global_step=3)
    ...     session.run(v.assign(0.0).op)
    ...     saver.restore(session, path)
    ...     print(os.path.basename(path), session.run(v))
    model-3 1.0
    """

    @shortened
    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        self._write_version: Any = write_version
        self._builder, self._sequentially = builder, restore_sequentially
        self._var_list, self._name, self._filename = var_list, name, filename
        self._reshape, self._sharded = reshape, sharded
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._allow_empty, self._is_empty = allow_empty, False
        self._pad_step_number, self._relative = pad_step_number, save_relative_paths
        self._last_checkpoints: list[tuple[str, float]] = []
        self._saves = threading.RLock()
        """Held by a save: of those of several threads the one that began last is listed last."""
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        self.saver_def: SaverDef | None = None
        self._of_objects: Saver | None = None
        """Restores from checkpoints of objects, once there was one."""
        if saver_def is not None:
            self._take(saver_def)
        elif not defer_build:
            self.build()

    def _take(self, saver_def: SaverDef) -> None:
        if not isinstance(saver_def, SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {saver_def}")
        self.saver_def = SaverDef()
        self.saver_def.CopyFrom(saver_def)
        for field in _NODES:
            # Nodes that were imported are in the name scope that is given as the name.
            setattr(
                self.saver_def, field, prepend_name_scope(getattr(saver_def, field), self._name)
            )
        self._max_to_keep, self._write_version = saver_def.max_to_keep, saver_def.version
        self._sharded = saver_def.sharded
        self._keep_hours = saver_def.keep_checkpoint_every_n_hours
        self._next_kept = time.time() + self._keep_hours * 3600

    def build(self) -> None:
        """Adds the nodes to the default graph; once, after `defer_build=True`.

        Raises:
          ValueError: There is nothing to save.
        """
        if self.saver_def is not None:
            return
        given = self._variables()
        if not given:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._is_empty = True
            self.saver_def = SaverDef(version=self._write_version)
            return
        _add_wholes(scopes.get_default_graph())
        self.saver_def = (self._builder or BulkSaverBuilder(self._write_version)).build(
            given if isinstance(given, dict) else by_name(given),
            reshape=self._reshape,
            sharded=self._sharded,
            max_to_keep=self._max_to_keep,
            keep_checkpoint_every_n_hours=self._keep_hours,
            name=self._name,
            restore_sequentially=self._sequentially,
            filename=self._filename or "model",
        )

    def _variables(self) -> Any:
        """What is saved; all that can be if nothing was given."""
        if self._var_list is not None:
            return self._var_list
        graph = scopes.get_default_graph()
        return [
            *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
            *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS),
        ]

    def _nodes(self, method: str) -> SaverDef:
        if self.saver_def is None:
            raise RuntimeError(f"`build()` should be called before {method} if defer_build==True")
        return self.saver_def

    def as_saver_def(self) -> SaverDef:
        """The names of the nodes, and how many checkpoints are kept."""
        return self._nodes("as_saver_def")

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """The message, with names relative to a scope; None without nodes there."""
        if export_scope is None:
            return self.saver_def
        found = self._nodes("to_proto")
        result = SaverDef()
        result.CopyFrom(found)
        for field in _NODES:
            if not getattr(found, field).startswith(export_scope):
                return None
            setattr(result, field, strip_name_scope(getattr(found, field), export_scope))
        return result

    @staticmethod
    def from_proto(saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """A Saver of nodes that are in the graph.

        Args:
          saver_def: Their names.
          import_scope: The scope they were imported into.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept but not for good, the oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Says which checkpoints there are, the oldest first; they count as just made."""
        self.set_last_checkpoints_with_time([(path, np.inf) for path in last_checkpoints])

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Sequence[tuple[str, float]]
    ) -> None:
        """Says which checkpoints there are, the oldest first, and when each was made."""
        if not isinstance(last_checkpoints_with_time, list):
            raise TypeError("last_checkpoints_with_time must be a list")
        self._last_checkpoints = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """As after saving these, the oldest first; those that are gone are left out."""
        there = [path for path in checkpoint_paths if checkpoint_exists(path)]
        self._last_checkpoints = list(zip(there, get_checkpoint_mtimes(there), strict=True))

    @shortened
    def save(
        self,
        sess: Any,
        save_path: str | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Saves the variables.

        Args:
          sess: The session that holds them.
          save_path: Prefix of the checkpoint's files.
          global_step: A number, or a tensor or variable that holds it, to put behind the prefix.
          latest_filename: Name of the file that lists the checkpoints; "checkpoint" if None.
          meta_graph_suffix: What the names of files of graphs end with.
          write_meta_graph: Whether the graph is written, too, as `export_meta_graph` does.
          write_state: Whether the list of checkpoints is brought up to date, and old ones removed.
          strip_default_attrs: Of the graph; see `export_meta_graph`.
          save_debug_info: Of the graph; see `export_meta_graph`.

        Returns:
          The prefix with the step; None if there is nothing to save.

        Raises:
          TypeError: `sess` is no session.
          ValueError: The folder is not there, or the list would be a file of the checkpoint.
        """
        found = self._nodes("save")
        latest_filename = latest_filename or "checkpoint"
        path = os.fsdecode(save_path)
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        collides = os.path.basename(path) == latest_filename and not self._sharded
        if global_step is None and collides:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{path}'"
            )
        with self._saves:
            prefix = path
            if global_step is not None:
                prefix = f"{path}-{_step(sess, global_step):0{8 if self._pad_step_number else 1}d}"
            result = None
            if not self._is_empty:
                result = self._write(sess, found, path, prefix)
                if write_state:
                    folder = os.path.dirname(path)
                    self._record(result, folder, latest_filename, meta_graph_suffix)
            if write_meta_graph:
                with sess.graph.as_default():
                    self.export_meta_graph(
                        meta_graph_path(prefix, meta_graph_suffix),
                        strip_default_attrs=strip_default_attrs,
                        save_debug_info=save_debug_info,
                    )
        return result

    def _write(self, sess: Any, found: SaverDef, path: str, prefix: str) -> str:
        folder = os.path.dirname(path)
        try:
            fed = path_for(sess, prefix)
            saved = sess.run(found.save_tensor_name, {found.filename_tensor_name: fed})
        except (FailedPreconditionError, NotFoundError) as error:
            if not os.path.isdir(local_path(folder) or "."):
                raise ValueError(
                    f"Parent directory of {path} doesn't exist, can't save."
                ) from error
            raise
        return prefix + os.fsdecode(saved).removeprefix(fed)

    def export_meta_graph(
        self,
        filename: str | os.PathLike[str] | None = None,
        collection_list: Sequence[Any] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """The default graph with this Saver; see `tf.train.export_meta_graph`."""
        return export_meta_graph(
            filename,
            saver_def=None if self._is_empty else self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    @staticmethod
    def _add_collection_def(
        meta_graph_def: MetaGraphDef, key: Any, export_scope: str | None = None
    ) -> None:
        """Adds a collection of the default graph; one that cannot be written is left out."""
        write_collection(meta_graph_def, key, scopes.get_collection(key), export_scope, ())

    def _record(self, path: str, folder: str, latest_filename: str, meta_suffix: str) -> None:
        """Lists the checkpoint, and then removes those that are too many."""
        removed = None
        if self._max_to_keep:
            kept = [entry for entry in self._last_checkpoints if entry[0] != path]
            kept.append((path, time.time()))
            if len(kept) > self._max_to_keep:
                removed = kept.pop(0)
            self._last_checkpoints = kept
        write_state(folder, path, self.last_checkpoints, latest_filename, relative=self._relative)
        if removed is None:
            return
        if removed[1] > self._next_kept:
            self._next_kept += self._keep_hours * 3600
            return
        try:
            remove_checkpoint(removed[0], self._write_version, meta_suffix)
        except OSError as error:
            logging.warning("Ignoring: %s", error)

    @shortened
    def restore(self, sess: Any, save_path: str | os.PathLike[str] | None) -> None:
        """Gives the variables the values of a checkpoint; they need no initialization.

        Args:
          sess: The session that holds them.
          save_path: The checkpoint, as `save` or `latest_checkpoint` returned it.

        Raises:
          ValueError: There is no such checkpoint.
          NotFoundError: It lacks a variable.
          InvalidArgumentError: A variable has another type or shape there.
          DataLossError: Its files are damaged; the error names the file and the tensor.
        """
        if self._is_empty:
            return
        found = self._nodes("restore")
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = os.fsdecode(save_path)
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        logging.info("Restoring parameters from %s", path)
        try:
            fed = path_for(sess, path)
            sess.run(found.restore_op_name, {found.filename_tensor_name: fed})
        except NotFoundError as error:
            keys = keys_of_objects(path)
            if keys is None:
                text = _explained(error, _LACKING)
                raise NotFoundError(error.node_def, error.op, text) from error
            self._restore_objects(sess, path, keys)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                error.node_def, error.op, _explained(error, _DIFFERENT)
            ) from error

    def _restore_objects(self, sess: Any, path: str, keys: Mapping[str, str]) -> None:
        """Restores from a checkpoint of objects, by the names that their variables had."""
        logging.warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat "
            "fragile, and will re-build the Saver. Instead, consider loading object-based "
            "checkpoints using tf.train.Checkpoint()."
        )
        with sess.graph.as_default():
            given = self._variables()
            named = given if isinstance(given, dict) else by_name(given)
            lacking = sorted(named.keys() - keys.keys())
            if lacking:
                raise NotFoundError(
                    None,
                    None,
                    f"Existing variables not in the checkpoint: {', '.join(lacking)}\n\nCould not "
                    "find some variables in the checkpoint (see names above). Saver was attempting "
                    "to load an object-based checkpoint (saved using tf.train.Checkpoint or "
                    "tf.keras.Model.save_weights) using variable names.",
                )
            by_key = {keys[name]: value for name, value in named.items()}
            if self._of_objects is None or self._of_objects._var_list.keys() != by_key.keys():
                self._of_objects = Saver(by_key)
            self._of_objects.restore(sess, path)


_LACKING = "a Variable name or other graph key that is missing from the checkpoint"
_DIFFERENT = "a mismatch between the current graph and the graph from the checkpoint"


def _explained(error: Any, cause: str) -> str:
    return (
        f"Restoring from checkpoint failed. This is most likely due to {cause}. Please ensure "
        f"that you have not altered the graph expected based on the checkpoint. Original error:"
        f"\n\n{error.message}"
    )


def path_for(session: Any, path: str) -> str:
    """The path as the session's devices know it: in other processes the folder is another one."""
    is_here = isinstance(session, BaseSession) and not session.sess_str
    return path if is_here or "://" in path else os.path.abspath(path)


def _step(session: Any, step: Any) -> int:
    if isinstance(step, (int, np.integer)):
        return int(step)
    return int(session.run(step))


register_proto_function(GraphKeys.SAVERS, SaverDef, Saver.to_proto, Saver.from_proto)


def _add_wholes(graph: Graph) -> None:
    """Adds the values of partitioned variables in collections, by which MetaGraphs name them."""
    names = {operation.name for operation in graph.get_operations()}
    for key in graph.get_all_collection_keys():
        for item in graph.get_collection(key):
            if isinstance(item, PartitionedVariable) and item.name not in names:
                item.as_tensor()
                names.add(item.name)
