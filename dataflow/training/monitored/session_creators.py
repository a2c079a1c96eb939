"""How monitored sessions are opened: the chief initialises the model, workers wait for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from dataflow.graph.scopes import get_default_graph
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.training.monitored.session_manager import SessionManager


class SessionCreator(ABC):
    """Opens sessions, one after the other if one fails."""

    @abstractmethod
    def create_session(self) -> Any:
        """Opens a session."""


class _WithScaffold(SessionCreator):
    """Opens sessions by way of a scaffold."""

    def __init__(self, scaffold: Scaffold | None, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._manager: SessionManager | None = None

    def _session_manager(self) -> SessionManager:
        """Ends the graph; the manager of its sessions."""
        scaffold = self._scaffold.finalize()
        if self._manager is None:
            self._manager = SessionManager(
                local_init_op=scaffold.local_init_op,
                local_init_feed_dict=scaffold.local_init_feed_dict,
                ready_op=scaffold.ready_op,
                ready_for_local_init_op=scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._manager


class ChiefSessionCreator(_WithScaffold):
    """Opens sessions and initialises or restores their model."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        """Holds what `SessionManager.prepare_session` is called with."""
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self) -> Any:
        """Opens a session; see `SessionManager.prepare_session`."""
        manager, scaffold = self._session_manager(), self._scaffold
        return manager.prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(_WithScaffold):
    """Opens sessions whose model the chief initialises."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        """Holds what `SessionManager.wait_for_session` is called with."""
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Opens a session; see `SessionManager.wait_for_session`."""
        manager = self._session_manager()
        return manager.wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
