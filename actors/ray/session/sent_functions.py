"""The Python functions of a session on their way to the devices whose nodes call them.

Ray carries them, as it carries whatever code its users run; no message of ours does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import ray
from ray import exceptions

from dataflow.actors.ray.links.calls import RemoteActor, as_op_error
from dataflow.actors.wire.messages import DevicePart
from dataflow.errors import InvalidArgumentError, UnavailableError
from dataflow.values.device_info import DeviceInfo
from dataflow.values.python import functions as python_functions
from dataflow.values.python.functions import PythonFunction

_LOST: Final = (exceptions.RayActorError, exceptions.ActorUnavailableError)


class SentFunctions:
    """What the devices of a session have; each of them gets a function once."""

    def __init__(self, session: int, find_device: Callable[[str], RemoteActor]) -> None:
        """Has sent nothing yet.

        Args:
          session: The session.
          find_device: Gives a device's actor, by full name.
        """
        self._session = session
        self._find_device = find_device
        self._sent: set[tuple[str, int, str]] = set()
        """Device, its incarnation, token."""
        self._lock = threading.Lock()

    def send(self, parts: Iterable[DevicePart], devices: Mapping[str, DeviceInfo]) -> None:
        """Sends devices the functions that a plan calls there; waits until they have them.

        A token that nobody has a function for is left to the node that has it: its step fails.

        Raises:
          InvalidArgumentError: A function cannot be sent to another process, or be loaded there.
          UnavailableError: A device is gone.
        """
        for part in parts:
            if not part.python_calls:
                continue
            incarnation = devices[part.device].incarnation
            with self._lock:
                keys = {t: (part.device, incarnation, t) for t in part.python_calls}
                found = [python_functions.find(t) for t, k in keys.items() if k not in self._sent]
                missing = [function for function in found if function is not None]
                if missing:
                    self._send_to(self._find_device(part.device), missing)
                    self._sent.update(keys[function.token] for function in missing)

    def _send_to(self, device: RemoteActor, functions: list[PythonFunction]) -> None:
        try:
            ray.get(device.call("keep_functions", self._session, functions))
        except _LOST as error:
            raise as_op_error(error, device.whom) from error
        except UnavailableError as error:
            if isinstance(error.__cause__, (TypeError, AttributeError)):
                raise _unsendable(functions, device, error.__cause__) from error
            raise
        except exceptions.RayError as error:
            raise _unsendable(functions, device, error) from error


def _unsendable(
    functions: Iterable[PythonFunction], device: RemoteActor, error: BaseException
) -> InvalidArgumentError:
    named = ", ".join(f"{f.token} ({getattr(f.call, '__name__', f.call)})" for f in functions)
    text = f"Python functions cannot be sent to {device.whom}: {named}: {error}"
    return InvalidArgumentError(None, None, text)
