"""tensorflow.python.summary.writer: summaries made into events for a writer of one's own."""

from __future__ import annotations

from typing import Any

import dataflow.recording.plugin_assets as _plugin_assets
import dataflow.recording.session_writer as _session_writer
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection, get_collection, name_scope
from dataflow.porting.spellings.raw import op
from dataflow.recording.file_writer import FileWriter

_PLUGINS_DIR = _plugin_assets.FOLDER
EventFileWriterV2 = _session_writer.SessionEventWriter


class SummaryToEventTransformer(FileWriter):
    """Makes events of what it is given, and hands them to a writer."""

    def __init__(self, event_writer: Any, graph: Any = None, graph_def: Any = None) -> None:
        """Takes a writer.

        Args:
          event_writer: Has `add_event` and `get_logdir`.
          graph: A graph to write first, and as a MetaGraph.
          graph_def: Use `graph`.
        """
        self._begin(event_writer, graph, graph_def)


def get_summary_op() -> Any:
    """The tensor of all summaries, merged once and kept in the graph's collection of it; None if
    there are none."""
    found = get_collection(GraphKeys.SUMMARY_OP)
    if found:
        return found[0]
    summaries = get_collection(GraphKeys.SUMMARIES)
    if not summaries:
        return None
    with name_scope(None, "MergeSummary", summaries):
        merged = op("MergeSummary")(inputs=summaries)
    add_to_collection(GraphKeys.SUMMARY_OP, merged)
    return merged
