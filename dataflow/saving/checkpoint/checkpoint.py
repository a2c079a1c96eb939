"""tf.train.Checkpoint: saves objects that are reached from it, and restores them."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

from dataflow.graph import scopes
from dataflow.library.containers.attributes import tracked
from dataflow.library.layers.untracked import untracked
from dataflow.saving.checkpoint.load_status import LoadStatus, NothingStatus, ObjectStatus
from dataflow.saving.checkpoint.object_saver import ObjectSaver
from dataflow.saving.checkpoint.sessions import session_of
from dataflow.saving.state import write_state
from dataflow.values import dtypes
from dataflow.variables.tracked import is_trackable
from dataflow.variables.variable import Variable

_COUNTER = "save_counter"
_OWN = frozenset(("_save_counter", "_counting", "_object_saver"))


class Checkpoint:
    """Saves variables, optimizers, layers, iterators, lists and dictionaries of them, and others.

    A value is found again by the names of attributes on the way to it, so that names of nodes may
    differ. What can be saved and is made an attribute later belongs to it, too.

    Args:
      **kwargs: The objects, which become attributes.

    Raises:
      ValueError: One cannot be saved.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._save_counter: Any = None
        self._counting: Any = None
        self._object_saver = ObjectSaver(self)
        for name in sorted(kwargs):
            value = kwargs[name]
            if not is_trackable(value):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from "
                    f"`Trackable`), got {value}. If you believe this object should be trackable "
                    "(i.e. it is part of the TensorFlow Python API and manages state), please "
                    "open an issue."
                )
            setattr(self, name, value)

    if TYPE_CHECKING:
        # Any name may be that of an object.
        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value if name in _OWN else tracked(self, name, value))

    def _checkpoint_children(self) -> dict[str, Any]:
        """The objects, in the order in which they became attributes."""
        apart = {*_OWN, *untracked(self)}
        found = {
            name: value
            for name, value in vars(self).items()
            if name not in apart and is_trackable(value)
        }
        if self._save_counter is not None:
            found[_COUNTER] = self._save_counter
        return found

    @property
    def save_counter(self) -> Any:
        """A variable that counts calls of `save`; it is saved, too."""
        if self._save_counter is None:
            with scopes.device("/cpu:0"):
                self._save_counter = Variable(0, name=_COUNTER, dtype=dtypes.int64, trainable=False)
        return self._save_counter

    def write(self, file_prefix: Any, session: Any = None, options: Any = None) -> str:
        """Writes a checkpoint; nothing is counted, and no list of checkpoints is kept.

        Args:
          file_prefix: What the names of its files begin with.
          session: Holds the variables; the default one if None.
          options: A `CheckpointOptions`, or None.

        Returns:
          The prefix.
        """
        path = self._object_saver.write(file_prefix, session)
        _call_back(options, path)
        return path

    def save(self, file_prefix: Any, session: Any = None, options: Any = None) -> str:
        """Writes a checkpoint with a number, and lists it as the newest of its folder.

        Args:
          file_prefix: What the names of its files begin with; a number is put behind it.
          session: Holds the variables; the default one if None.
          options: A `CheckpointOptions`, or None.

        Returns:
          The prefix with the number.
        """
        number = self._count(session_of(session))
        prefix = os.fsdecode(file_prefix)
        path = self.write(f"{prefix}-{number}", session, options)
        write_state(os.path.dirname(prefix), path, [path], None, None, None, relative=True)
        return path

    def _count(self, session: Any) -> int:
        """The number of the next checkpoint."""
        is_new = self._save_counter is None
        counter = self.save_counter
        if is_new:
            session.run(counter.initializer)
        if self._counting is None:
            self._counting = counter.assign_add(1)
        session.run(self._counting)
        return int(session.run(counter))

    def restore(self, save_path: Any) -> LoadStatus:
        """Finds the objects' values in a checkpoint.

        No variable is restored until `run_restore_ops` or `initialize_or_restore` of the result is
        called; a `PythonState` has its state at once. A checkpoint of a `tf.train.Saver` is read by
        the names of variables.

        Args:
          save_path: The checkpoint, as `save` or `latest_checkpoint` returned it; None for none.

        Raises:
          NotFoundError: There is no such checkpoint.
          DataLossError: What it says of its objects is damaged.
        """
        if save_path is None:
            return NothingStatus(self)
        status = self._object_saver.restore(save_path)
        # The counter must exist for its value to be restored.
        if isinstance(status, ObjectStatus) and status.has_part(_COUNTER):
            _ = self.save_counter
        return status


def _call_back(options: Any, path: str) -> None:
    for call in getattr(options, "experimental_write_callbacks", None) or ():
        if inspect.signature(call).parameters:
            call(path)
        else:
            call()
