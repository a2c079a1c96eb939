"""What has a stamp: who asks for another one comes too late."""

from __future__ import annotations

from dataflow.kernels.contract.invalid import invalid


def check_stamp(stamp: int, expected: int, what: str) -> None:
    """Checks the stamp of a resource.

    Args:
      stamp: What it has.
      expected: What the caller was told.
      what: What the resource is, for the error.

    Raises:
      InvalidArgumentError: The resource has changed since.
    """
    if stamp != expected:
        raise invalid(
            f"Invalid stamp token: {what} has the stamp {stamp}, and the op was given {expected}. "
            "Take the stamp from the resource in the same step."
        )


def check_next(stamp: int, following: int) -> None:
    """Checks that a resource gets another stamp.

    Raises:
      InvalidArgumentError: It would keep the one that it has.
    """
    if stamp == following:
        raise invalid(f"next_stamp_token must differ from stamp_token, and both are {stamp}")
