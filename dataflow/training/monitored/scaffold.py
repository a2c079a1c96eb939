"""The operations by which a graph is initialised and found to be ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection, get_collection, get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.merging import merge_all
from dataflow.library.table_initializers import tables_initializer
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.grouping import group
from dataflow.saving.saver import Saver
from dataflow.values import logging
from dataflow.variables.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)
from dataflow.variables.variable import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)


class Scaffold:
    """What a session needs of a graph before it trains; what is not given, `finalize` makes."""

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        """Holds operations; those that are None come from `copy_from_scaffold`.

        Args:
          init_op: Initialises the model.
          init_feed_dict: What it is fed.
          init_fn: `f(scaffold, session)`, called after `init_op`.
          ready_op: Gives the names of what is not initialised.
          ready_for_local_init_op: Gives those that `local_init_op` needs.
          local_init_op: Initialises what each session has of its own.
          summary_op: Gives merged summaries.
          saver: Saves and restores the model.
          copy_from_scaffold: Another scaffold.
          local_init_feed_dict: What `local_init_op` is fed.

        Raises:
          TypeError: `copy_from_scaffold` is no Scaffold.
        """
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(value: Any, attribute: str) -> Any:
            if value is not None or copy_from_scaffold is None:
                return value
            return getattr(copy_from_scaffold, attribute)

        self._user_init_fn = given(init_fn, "_user_init_fn")
        self._init_op = given(init_op, "_init_op")
        self._init_feed_dict = given(init_feed_dict, "_init_feed_dict")
        self._ready_op = given(ready_op, "_ready_op")
        self._ready_for_local_init_op = given(ready_for_local_init_op, "_ready_for_local_init_op")
        self._local_init_op = given(local_init_op, "_local_init_op")
        self._local_init_feed_dict = given(local_init_feed_dict, "_local_init_feed_dict")
        self._summary_op = given(summary_op, "_summary_op")
        self._saver = given(saver, "_saver")

    def finalize(self) -> Scaffold:
        """Makes what was not given, unless the graph's collections have it, and ends the graph.

        Raises:
          RuntimeError: A collection has several.
        """
        take = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = take("init_op", GraphKeys.INIT_OP, _make_init_op)
        if self._ready_op is None:
            self._ready_op = take("ready_op", GraphKeys.READY_OP, _make_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = take(
                "ready_for_local_init_op",
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                _make_ready_for_local_init_op,
            )
        if self._local_init_op is None:
            self._local_init_op = take(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = take("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = _get_saver_or_default()
        self._saver.build()
        get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """What is called with the session after `init_op`."""
        function = self._user_init_fn
        return None if function is None else lambda session: function(self, session)

    @property
    def init_op(self) -> Any:
        """Initialises the model."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """Gives the names of what is not initialised."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """Gives the names of what `local_init_op` needs and is not initialised."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """Initialises what each session has of its own."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """What `local_init_op` is fed."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """Gives merged summaries."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """Saves and restores the model."""
        return self._saver

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: Any, default_constructor: Callable[[], Any]
    ) -> Any:
        """The only element of a collection, made and put there if there is none.

        Raises:
          RuntimeError: There are several.
        """
        elements = get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Initialises local variables, tables and local resources."""
        return group(
            local_variables_initializer(),
            tables_initializer(),
            initialize_resources(local_resources()),
        )


def _make_init_op() -> Any:
    return group(
        global_variables_initializer(),
        initialize_resources(shared_resources()),
        get_collection("saved_model_initializers"),
    )


def _make_ready_op() -> Tensor:
    return concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _make_ready_for_local_init_op() -> Tensor:
    names = report_uninitialized_variables(global_variables())
    return concat([names, report_uninitialized_resources(shared_resources())], 0)


def _get_saver_or_default() -> Any:
    """The saver in the graph's collection, made and put there if there is none."""
    savers = get_collection(GraphKeys.SAVERS)
    if not savers:
        add_to_collection(GraphKeys.SAVERS, Saver(sharded=True, allow_empty=True))
        savers = get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            "use by passing it to the constructor."
        )
    return savers[0]
