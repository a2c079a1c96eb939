"""Opens sessions, initialises their variables, or waits until another process has done so."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dataflow.errors import DeadlineExceededError, FailedPreconditionError
from dataflow.graph.scopes import get_default_graph
from dataflow.saving.state import get_checkpoint_state
from dataflow.session.session import Session
from dataflow.values import dtypes, logging


class SessionManager:
    """Opens sessions that are ready to train: initialised, restored, or waited for."""

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        """Holds what tells that a model is ready.

        Args:
          local_init_op: Initialises what each session has of its own.
          ready_op: Gives the names of what is not initialised; empty if the model is ready.
          ready_for_local_init_op: The same for what `local_init_op` needs.
          graph: The graph; the default one if None.
          recovery_wait_secs: Seconds from one look at a model to the next.
          local_init_run_options: RunOptions of `local_init_op`.
          local_init_feed_dict: What it is fed.

        Raises:
          ValueError: `ready_for_local_init_op` is given, and `local_init_op` is not.
        """
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op "
                f", ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> Session:
        """Opens a session whose model is restored, or else initialised.

        Args:
          master: The session's target.
          init_op: Initialises the model.
          saver: Restores it.
          checkpoint_dir: Where its checkpoints are.
          checkpoint_filename_with_path: The checkpoint to restore.
          wait_for_checkpoint: Whether to wait for one in `checkpoint_dir`.
          max_wait_secs: For how long.
          config: The session's ConfigProto.
          init_feed_dict: What `init_op` is fed.
          init_fn: Called with the session after `init_op`.

        Raises:
          RuntimeError: There is nothing to initialise the model by, or it is not ready afterwards.
          ValueError: Two checkpoints are given, or what is given is none.
        """
        patience = max_wait_secs if wait_for_checkpoint else 0
        session, is_restored = self._open(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, patience, config
        )
        if not is_restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        missing = self._initialize_locally(session)
        if missing is not None:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  Init op: "
                f"{_name_of(init_op)}, init fn: {init_fn}, error: {missing}"
            )
        missing = what_is_missing(self._ready_op, session, "Model not ready")
        if missing is not None:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_name_of(init_op)}, init "
                f"fn: {init_fn}, local_init_op: {self._local_init_op}, error: {missing}"
            )
        return session

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """Opens a session whose model is restored if it can be; arguments as above.

        Returns:
          The session, and whether the model was restored and is ready.

        Raises:
          ValueError: Two checkpoints are given, or what is given is none.
        """
        patience = max_wait_secs if wait_for_checkpoint else 0
        session, is_restored = self._open(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, patience, config
        )
        missing = self._initialize_locally(session)
        if not is_restored:
            return session, False
        path = checkpoint_dir or checkpoint_filename_with_path
        if missing is not None:
            logging.info(
                "Restoring model from %s did not make model ready for local init: %s", path, missing
            )
            return session, False
        missing = what_is_missing(self._ready_op, session, "Model not ready")
        if missing is not None:
            logging.info("Restoring model from %s did not make model ready: %s", path, missing)
            return session, False
        logging.info("Restored model from %s", path)
        return session, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")
    ) -> Session:
        """Opens a session as soon as another process has made the model ready.

        Args:
          master: The session's target.
          config: Its ConfigProto.
          max_wait_secs: How long to wait at most; None for ever.

        Raises:
          DeadlineExceededError: The model is not ready after that time.
        """
        limit = float("inf") if max_wait_secs is None else max_wait_secs
        start = time.monotonic()
        while True:
            session = Session(master, graph=self._graph, config=config)
            missing, missing_local = None, self._initialize_locally(session)
            if missing_local is None:
                missing = what_is_missing(self._ready_op, session, "Model not ready")
                if missing is None:
                    return session
            with suppress(Exception):
                session.close()
            if limit - (time.monotonic() - start) - self._recovery_wait_secs < 0:
                raise DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(limit)} secs."
                )
            logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                missing_local,
                missing,
            )
            time.sleep(self._recovery_wait_secs)

    def _open(
        self,
        master: str,
        saver: Any,
        folder: str | None,
        path: str | None,
        patience: float,
        config: Any,
    ) -> tuple[Session, bool]:
        """A session, and whether a checkpoint was restored in it."""
        session = Session(master, graph=self._graph, config=config)
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if not saver or not (folder or path):
            return session, False
        if path:
            saver.restore(session, path)
            return session, True
        state = get_checkpoint_state(folder)
        waited = 0.0
        while state is None:
            if waited >= patience:
                return session, False
            logging.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = get_checkpoint_state(folder)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(list(state.all_model_checkpoint_paths))
        return session, True

    def _initialize_locally(self, session: Session) -> str | None:
        """Runs `local_init_op`; if what it needs is not there, says what."""
        if self._local_init_op is None:
            return None
        missing = what_is_missing(
            self._ready_for_local_init_op, session, "Model not ready for local init"
        )
        if missing is not None:
            return missing
        logging.info("Running local_init_op.")
        session.run(
            self._local_init_op,
            feed_dict=self._local_init_feed_dict,
            options=self._local_init_run_options,
        )
        logging.info("Done running local_init_op.")
        return None


def what_is_missing(ready_op: Any, session: Session, text: str) -> str | None:
    """What a ready operation says that is not there; None if nothing."""
    if ready_op is None:
        return None
    try:
        names = session.run(ready_op)
    except FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            logging.warning("%s : error [%s]", text, str(error))
            raise
        return str(error)
    if names is None or names.dtype == dtypes.int32.as_numpy_dtype or not names.size:
        return None
    return "Variables not initialized: " + ", ".join(name.decode() for name in names)


def _name_of(operation: Any) -> Any:
    return getattr(operation, "name", operation)
