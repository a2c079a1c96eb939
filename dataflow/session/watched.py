"""Steps that dump what `RunOptions.debug_options` watches."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from dataflow.errors import InvalidArgumentError, OpError, UnavailableError, UnimplementedError
from dataflow.records.dumps import CORE_PREFIX, DEBUG_OP, dump_text

if TYPE_CHECKING:
    from dataflow.proto.config_pb2 import RunMetadata, RunOptions
    from dataflow.session.link import SessionLink
    from dataflow.session.steps import PreparedStep

_SCHEME: Final = "file://"


def run_watched(
    link: SessionLink,
    step: PreparedStep,
    arrays: list[Any],
    options: RunOptions,
    metadata: RunMetadata | None,
    number: int,
) -> Any:
    """Runs a step on a plan of its own, which dumps tensors on the way.

    Args:
      link: The session's link.
      step: What is run.
      arrays: What is fed.
      options: They watch tensors.
      metadata: Filled in.
      number: How many watched steps the session has run before.

    Raises:
      InvalidArgumentError: A watch names no folder.
      UnimplementedError: A watch asks for another op than DebugIdentity, or a server.
      UnavailableError: A dump cannot be written.
      OpError: The step fails.
    """
    watches = _watches(options)
    signature = step.signature
    about = {
        "global_step": options.debug_options.global_step,
        "session_run_index": number,
        "executor_step_index": 0,
        "input_names": list(signature.feeds),
        "output_names": list(signature.fetches),
        "target_nodes": list(signature.targets),
    }
    watched = step.watched(watches)
    try:
        for folder in dict.fromkeys(folder for _, folder in watches):
            name = f"{CORE_PREFIX}sessionrun{number:014d}"
            dump_text(os.path.join(folder, name), json.dumps(about), is_new=True)
        return watched.run(arrays, options, metadata)
    except OSError as error:
        if isinstance(error, OpError):
            raise
        raise UnavailableError(None, None, f"Dumps cannot be written: {error}") from error
    finally:
        link.forget(watched.signature)


def _watches(options: RunOptions) -> tuple[tuple[str, str], ...]:
    """The watched tensors, each with a folder."""
    found: dict[tuple[str, str], None] = {}
    for watch in options.debug_options.debug_tensor_watch_opts:
        tensor = f"{watch.node_name}:{watch.output_slot}"
        for op in watch.debug_ops:
            if op.partition("(")[0] != DEBUG_OP:
                raise UnimplementedError(
                    None, None, f"{tensor} is watched by {op}: only {DEBUG_OP} is here."
                )
        for url in watch.debug_urls:
            if url.startswith("grpc://"):
                raise UnimplementedError(
                    None, None, f"{tensor} is to be sent to {url}: only {_SCHEME} URLs are here."
                )
            if not url.startswith(_SCHEME) or len(url) == len(_SCHEME):
                raise InvalidArgumentError(
                    None, None, f"Invalid debug target URL: {url}, where {tensor} is to be dumped."
                )
            found[tensor, url[len(_SCHEME) :]] = None
    return tuple(found)
