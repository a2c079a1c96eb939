"""Lanes: persistent authenticated connections that carry the steps past Ray.

A lane joins two processes: a session and a device, or two devices. What crosses it is framed
msgpack with raw bytes behind it, never a pickle; on one machine large tensors lie in shared memory
that has no name, and only a number crosses.
"""

from __future__ import annotations
