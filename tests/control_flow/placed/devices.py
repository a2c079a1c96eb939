"""What a session of this process has on its devices: plans, steps, values."""

from __future__ import annotations

from typing import Any

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.plan.plan import Plan
from dataflow.session.session import Session


def devices_of(session: Session) -> list[DeviceCore]:
    """The devices of a session."""
    runtime: Any = session._link.runtime
    return list(runtime._sessions[session._link.handle].devices.values())


def plans_of(session: Session) -> list[Plan]:
    """The plans of a session's steps, on all its devices."""
    return [plan for device in devices_of(session) for plan in device._plans.values()]
