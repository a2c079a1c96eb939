"""Loads and retires versions of models as folders and configs change, without dropping a request.

A new version serves before the one it replaces is retired, and a retired one ends when the last
request that uses it has. One that cannot be loaded leaves the others alone, and is tried again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    UnavailableError,
)
from dataflow.proto.serving_get_model_status_pb2 import ModelVersionStatus
from dataflow.serving.loaded import LoadedModel, versions_in
from dataflow.serving.options import Loading, ModelSource
from dataflow.values import logging

State = ModelVersionStatus.State

Opener = Callable[[str, int, str], LoadedModel]


@dataclass
class _Version:
    """A version that was seen, in whatever state."""

    number: int
    path: str
    state: Any = State.START
    code: int = 0
    message: str = ""
    model: LoadedModel | None = None
    leases: int = 0
    tries: int = 0
    retry_at: float = 0.0

    @property
    def failed(self) -> bool:
        return self.state == State.END and self.code != 0


class Lease:
    """Keeps a version from ending while it is used."""

    def __init__(self, model: LoadedModel, release: Callable[[], None]) -> None:
        self.model = model
        self._release: Callable[[], None] | None = release

    def release(self) -> None:
        """Ends the use; a second call does nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()


class Manager:
    """The models of a server and their versions.

    Args:
      sources: The models.
      loading: How versions are looked for and loaded.
      opener: Loads a version, given the model's name, the number and the folder.
    """

    def __init__(
        self, sources: Sequence[ModelSource], loading: Loading, opener: Opener | None = None
    ) -> None:
        self._loading = loading
        self._open = opener or self._opened
        self._lock = threading.Lock()
        self._sources: dict[str, ModelSource] = {}
        self._versions: dict[str, dict[int, _Version]] = {}
        self._unreadable: set[str] = set()
        """Models whose folders were not there at the last look."""
        self._turn = threading.Lock()
        """Held while versions are loaded and retired."""
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._set_sources(sources)

    def _opened(self, name: str, number: int, path: str) -> LoadedModel:
        return LoadedModel(name, number, path, self._loading.tags)

    def start(self) -> None:
        """Loads what is there, and begins to watch the folders."""
        self.refresh()
        self._thread = threading.Thread(target=self._watch, name="serving-watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stopped.wait(self._loading.poll_seconds):
            try:
                self.refresh()
            except Exception as error:
                logging.error("Watching models failed: %s", error)

    def stop(self) -> None:
        """Stops watching, and ends all versions."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        with self._turn:
            with self._lock:
                loaded = [
                    (name, each)
                    for name, versions in self._versions.items()
                    for each in versions.values()
                    if each.model is not None
                ]
            for name, each in loaded:
                self._retire(name, each, at_once=True)

    def _set_sources(self, sources: Sequence[ModelSource]) -> None:
        with self._lock:
            self._sources = {each.name: each for each in sources}

    def reload(self, sources: Sequence[ModelSource]) -> None:
        """Serves other models from now on, and returns when they are loaded.

        Raises:
          FailedPreconditionError: A label names a version that is not loaded.
          NotFoundError: The folder of a model is not there.
          UnavailableError: A model that was added has no version that could be loaded.
        """
        for source in sources:
            versions_in(source.base_path)
            self._check_labels(source)
        self._set_sources(sources)
        self.refresh()
        for source in sources:
            with self._lock:
                seen = self._versions.get(source.name, {}).values()
                failed = [each for each in seen if each.failed]
                served = any(each.state == State.AVAILABLE for each in seen)
            if failed and not served:
                raise UnavailableError(None, None, failed[-1].message)

    def _check_labels(self, source: ModelSource) -> None:
        if self._loading.labels_for_unavailable:
            return
        with self._lock:
            seen = dict(self._versions.get(source.name, {}))
        for label, number in source.labels:
            if number not in seen or seen[number].state != State.AVAILABLE:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"Request to assign label {label} to version {number} of model {source.name}, "
                    "which is not currently available for inference",
                )

    def refresh(self) -> None:
        """Loads and retires once, as the folders are now."""
        with self._turn:
            with self._lock:
                sources = dict(self._sources)
                gone = [name for name in self._versions if name not in sources]
            for source in sources.values():
                self._refresh_model(source)
            for name in gone:
                for each in list(self._versions[name].values()):
                    self._retire(name, each)

    def _refresh_model(self, source: ModelSource) -> None:
        try:
            there = versions_in(source.base_path)
        except NotFoundError as error:
            # A folder that cannot be read for a moment takes no version away.
            if source.name not in self._unreadable:
                logging.warning("%s", error.message)
            self._unreadable.add(source.name)
            return
        self._unreadable.discard(source.name)
        wanted = source.policy.choose(set(there))
        with self._lock:
            seen = self._versions.setdefault(source.name, {})
            for number in wanted:
                known = seen.get(number)
                if known is None or (known.state == State.END and not known.failed):
                    seen[number] = _Version(number, there[number])
        for number in sorted(wanted):
            if self._stopped.is_set():
                return
            self._load(source.name, seen[number])
        served = any(seen[number].state == State.AVAILABLE for number in wanted)
        for number, each in list(seen.items()):
            if number not in wanted and (served or not wanted):
                self._retire(source.name, each)

    def _load(self, name: str, version: _Version) -> None:
        due = version.failed and version.tries <= self._loading.max_retries
        if version.state != State.START and not (due and time.monotonic() >= version.retry_at):
            return
        self._set(version, State.LOADING)
        version.tries += 1
        try:
            model = self._open(name, version.number, version.path)
            try:
                if self._loading.warm_up:
                    model.warm_up()
            except BaseException:
                model.close()
                raise
        except Exception as error:
            code = error.error_code if isinstance(error, OpError) else 2
            told = error.message if isinstance(error, OpError) else f"{error}"
            message = f"Loading servable: {{name: {name} version: {version.number}}} failed: {told}"
            logging.warning("%s", message)
            version.retry_at = time.monotonic() + self._loading.retry_seconds
            self._set(version, State.END, code or 2, message)
            return
        version.model = model
        self._set(version, State.AVAILABLE)
        logging.info("Serving version %d of model %s", version.number, name)

    def _set(self, version: _Version, state: Any, code: int = 0, message: str = "") -> None:
        with self._lock:
            version.state, version.code, version.message = state, code, message

    def _retire(self, name: str, version: _Version, at_once: bool = False) -> None:
        """Ends a version when nobody uses it any more, or at once."""
        with self._lock:
            if version.model is None:
                version.state = State.END
                return
            if version.state != State.UNLOADING:
                logging.info("Version %d of model %s is retired", version.number, name)
                version.state = State.UNLOADING
            if version.leases and not at_once:
                return
            model, version.model = version.model, None
        self._close(version, model)

    def _close(self, version: _Version, model: LoadedModel) -> None:
        model.close()
        self._set(version, State.END)

    def lease(self, name: str, number: int | None = None, label: str = "") -> Lease:
        """A version to use, the latest one unless another is asked for.

        Raises:
          NotFoundError: It is not served.
          InvalidArgumentError: There is no such label.
        """
        if not name:
            raise InvalidArgumentError(None, None, "ModelSpec has no name specified.")
        with self._lock:
            if label:
                source = self._sources.get(name)
                labels = dict(source.labels) if source else {}
                if label not in labels:
                    raise InvalidArgumentError(
                        None, None, f"Unrecognized servable version label: {label}"
                    )
                number = labels[label]
            served = {
                each.number: each
                for each in self._versions.get(name, {}).values()
                if each.state == State.AVAILABLE and each.model is not None
            }
            wanted = max(served, default=None) if number is None else number
            if wanted not in served:
                asked = f"Latest({name})" if number is None else f"Specific({name}, {number})"
                raise NotFoundError(None, None, f"Servable not found for request: {asked}")
            version = served[wanted]
            version.leases += 1
            assert version.model is not None
            return Lease(version.model, lambda: self._release(version))

    def _release(self, version: _Version) -> None:
        with self._lock:
            version.leases -= 1
            model = version.model
            if version.leases or version.state != State.UNLOADING or model is None:
                return
            version.model = None
        # Whoever was the last to use it goes on meanwhile.
        threading.Thread(target=self._close, args=(version, model), daemon=True).start()

    def number_of(self, name: str, label: str) -> int:
        """The version that a label names.

        Raises:
          InvalidArgumentError: There is no such label.
        """
        with self._lock:
            source = self._sources.get(name)
            for each, number in source.labels if source else ():
                if each == label:
                    return number
        raise InvalidArgumentError(None, None, f"Unrecognized servable version label: {label}")

    def states(self, name: str) -> Mapping[int, tuple[Any, int, str]]:
        """The state, the code and the text of the error of each version, latest first."""
        with self._lock:
            seen = self._versions.get(name, {})
            return {
                number: (seen[number].state, seen[number].code, seen[number].message)
                for number in sorted(seen, reverse=True)
            }

    @property
    def ready(self) -> bool:
        """Whether each model has a version that serves."""
        with self._lock:
            return bool(self._sources) and all(
                any(v.state == State.AVAILABLE for v in self._versions.get(name, {}).values())
                for name in self._sources
            )
