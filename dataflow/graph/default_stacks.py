"""Thread-local stacks of default objects: the default graph and the default session."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph

D = TypeVar("D")


class DefaultStack(threading.local, Generic[D]):
    """A thread's stack of defaults of one kind; the innermost one counts."""

    def __init__(self) -> None:
        super().__init__()
        self.enforce_nesting = True
        self.stack: list[D] = []

    def top(self) -> D | None:
        """The innermost default, or None."""
        return self.stack[-1] if self.stack else None

    def reset(self) -> None:
        """Empties the stack."""
        self.stack = []

    @contextmanager
    def entered(self, default: D) -> Iterator[D]:
        """Makes `default` the default inside the context.

        Raises:
          AssertionError: Contexts are left in another order than the reverse of entering.
        """
        self.stack.append(default)
        try:
            yield default
        finally:
            # A stack that was reset inside the context has nothing left to check, even if others
            # have entered since: an abandoned context may be left as late as by a collector.
            if any(entry is default for entry in self.stack):
                if self.enforce_nesting:
                    if self.stack[-1] is not default:
                        raise AssertionError(
                            f"Nesting violated for default stack of {type(default)} objects"
                        )
                    self.stack.pop()
                else:
                    self.stack.remove(default)


class _DefaultGraphStack(DefaultStack["Graph"]):
    """The graph stack has a global default per thread, made when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.global_default: Graph | None = None


sessions: DefaultStack[Any] = DefaultStack()
graphs = _DefaultGraphStack()


def evaluate(fetch: Any, feed_dict: Any, graph: Graph, session: Any, what: str, call: str) -> Any:
    """Runs `fetch` in `session` or the default one, for `Tensor.eval` and `Operation.run`.

    Raises:
      ValueError: There is no session to run in, or it holds another graph.
    """
    if session is None:
        session = sessions.top()
        if session is None:
            # TensorFlow spells the two a little differently.
            colon = "" if call == "eval" else ":"
            raise ValueError(
                f"Cannot {what} using `{call}()`: No default session is registered. Use `with "
                f"sess.as_default(){colon}` or pass an explicit session to `{call}(session=sess)`"
            )
        if session.graph is not graph:
            kind, quote = ("tensor", "`") if call == "eval" else ("operation", "")
            raise ValueError(
                f"Cannot use the default session to {what}: the {kind}'s graph is different from "
                f"the session's graph. Pass an explicit session to {quote}{call}(session=sess)"
                f"{quote}."
            )
    elif session.graph is not graph:
        kind = "tensor" if call == "eval" else "operation"
        raise ValueError(
            f"Cannot use the given session to {what}: the {kind}'s graph is different from the "
            "session's graph."
        )
    return session.run(fetch, feed_dict)
