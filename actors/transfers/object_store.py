"""The transport over Ray: one-way calls that carry tensors by value, large ones through its store.

It works between any two actors, on one machine or two. Values go out on a thread of their own, so
that a kernel never waits for a copy; what has become ready meanwhile for one peer goes in one call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import ray
from ray import exceptions

from dataflow.actors.wire.codec import encode
from dataflow.actors.wire.messages import SendTensor, SendTensors, TensorValue
from dataflow.errors import OpError, ResourceExhaustedError, UnavailableError

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step

INLINE_BYTES: Final = 100 * 1024
"""Ray keeps larger arguments of a call in its object store."""

Push = Callable[..., None]
"""Calls the peer: the encoded `SendTensors`, then its large values."""
FindPush = Callable[[str], Push]
"""Finds the way to call a device, by full name; raises OpError if it is gone."""
Failed = Callable[[int, str, OpError], None]
"""Takes the step, the peer and the error when a value could not be sent."""


class ObjectStoreTransport:
    """The way to one device in another process."""

    def __init__(self, outbox: Outbox, peer: str) -> None:
        self._outbox = outbox
        self._peer = peer

    @property
    def shares_memory(self) -> bool:
        """False: the peer is another process."""
        return False

    def open(self) -> None:
        """Does nothing: Ray opens its connections itself."""

    def send(self, step_id: int, key: str, value: Any, dead: bool) -> None:
        """Hands the value to the sending thread; if it cannot be sent the step is stopped."""
        self._outbox.put(self._peer, SendTensor(step_id, key, value, dead))

    def send_in_loop(self, step: Step, edge: str, frame: str, value: Any, dead: bool) -> None:
        """As `send`; how far the receiver is behind is not known."""
        self.send(step.step_id, f"{edge}{frame}", value, dead)


class Outbox:
    """What a device has still to send, and the thread that sends it."""

    def __init__(self, find_push: FindPush, failed: Failed) -> None:
        """Makes an outbox; its thread starts with the first value.

        Args:
          find_push: Finds the way to call a device.
          failed: Told of each value that could not be sent, on the sending thread.
        """
        self._find_push = find_push
        self._failed = failed
        self._queue: SimpleQueue[tuple[str, SendTensor]] = SimpleQueue()
        self._peers: dict[str, Push] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def forget_peers(self) -> None:
        """Has the devices looked up again: they may have been started again under their names."""
        self._peers.clear()

    def put(self, peer: str, tensor: SendTensor) -> None:
        """Has a value sent."""
        if self._thread is None:
            self._start()
        self._queue.put((peer, tensor))

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="dataflow-send", daemon=True
                )
                self._thread.start()

    def _work(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            self._send(batch)
            # Until the next value arrives nothing shall hold the last ones.
            del batch

    def _send(self, batch: Sequence[tuple[str, SendTensor]]) -> None:
        by_peer: dict[str, list[SendTensor]] = {}
        for peer, tensor in batch:
            by_peer.setdefault(peer, []).append(tensor)
        stored: dict[int, Any] = {}
        for peer, tensors in by_peer.items():
            try:
                self._send_to(peer, tensors, stored)
            except Exception as error:
                # One value that cannot be sent shall not stop the others.
                if len(tensors) == 1:
                    self._fail(peer, tensors[0], error)
                    continue
                for tensor in tensors:
                    try:
                        self._send_to(peer, [tensor], stored)
                    except Exception as single:
                        self._fail(peer, tensor, single)

    def _send_to(self, peer: str, tensors: Sequence[SendTensor], stored: dict[int, Any]) -> None:
        push = self._peers.get(peer)
        if push is None:
            push = self._peers[peer] = self._find_push(peer)
        large = [t for t in tensors if getattr(t.value, "nbytes", 0) > INLINE_BYTES]
        small = [t for t in tensors if getattr(t.value, "nbytes", 0) <= INLINE_BYTES]
        values = [_store(tensor.value, stored) for tensor in large]
        heads = tuple(SendTensor(t.step, t.key, None, t.dead) for t in large)
        push(encode(SendTensors(tuple(small), heads)), *values)

    def _fail(self, peer: str, tensor: SendTensor, error: Exception) -> None:
        if isinstance(error, (exceptions.ObjectStoreFullError, exceptions.OutOfDiskError)):
            error = ResourceExhaustedError(
                None, None, f"No room in Ray's object store to send a tensor to {peer}: {error}"
            )
        if not isinstance(error, OpError):
            self._peers.pop(peer, None)
            error = UnavailableError(
                None, None, f"Cannot send to {peer}: {type(error).__name__}: {error}"
            )
        self._failed(tensor.step, peer, error)


def _store(value: Any, stored: dict[int, Any]) -> Any:
    """The value in Ray's object store, where all its receivers in this batch find it."""
    if id(value) not in stored:
        stored[id(value)] = ray.put(encode(TensorValue(value)))
    return stored[id(value)]
