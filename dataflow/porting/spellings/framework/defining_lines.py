"""tensorflow.python.framework.error_interpolation: the lines that made operations."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.proto.graph_debug_info_pb2 import GraphDebugInfo

_MOST: Final = 10
"""How many lines are told of each operation, the innermost ones."""
_AROUND: Final = 2
"""How many frames further in than the defining one are told, too."""
_NAME: Final = r"[A-Za-z0-9_.][A-Za-z0-9_.\-/]*?"
_TAG: Final = re.compile(rf"\{{\{{({_NAME}) ({_NAME})\}}\}}")
_BAD_FILE_SUBSTRINGS: Final = [
    os.path.join(package, folder)
    for package in ("tensorflow", "tensorflow_estimator")
    for folder in ("python", "contrib")
] + ["<embedded"]
"""What paths of frames hold that are none of the program's; its tests are the program's."""


class _ParseTag(NamedTuple):
    type: str
    name: str


def parse_message(message: str) -> tuple[list[str], list[_ParseTag]]:
    """The texts of a message between its tags `{{type name}}`, and the tags."""
    parts = _TAG.split(message)
    tags = [_ParseTag(*each) for each in zip(parts[1::3], parts[2::3], strict=True)]
    return parts[::3], tags


def interpolate(error_message: str, graph: Graph) -> str:
    """The message with what is known of the tagged nodes in place of their tags."""
    texts, tags = parse_message(error_message)
    tagged = [_with_sources(graph, tag.name) for tag in tags]
    prefix = traceback_files_common_prefix(tagged)
    told, behind = [], defaultdict(list)
    for tag, found in zip(tags, tagged, strict=True):
        text = f"{{{{{tag.type} {tag.name}}}}}"
        if found and tag.type == "node":
            text, sources = _build_error_message(found[0], found[1:], prefix)
            if sources:
                behind["source_nodes"].append(sources)
        elif found and tag.type == "colocation_node":
            fields = compute_field_dict(found[0], prefix)
            text = (
                f"node {found[0].name}{fields['defined_at']} placed on device {fields['devices']} "
            )
            behind["colocations"].append(fields["devs_and_colocs"])
        told.append("" if tag.type == "function_node" else text)
    end = [""]
    if behind["source_nodes"]:
        end += ["\n\nErrors may have originated from an input operation."]
        end += ["\n".join(behind["source_nodes"])]
    if behind["colocations"]:
        end += ["Additional information about colocations:", "\n".join(behind["colocations"])]
    pairs = zip(texts, [*told, ""], strict=True)
    return "".join(text + of_tag for text, of_tag in pairs) + "".join(end)


def traceback_files_common_prefix(all_ops: Iterable[Sequence[Operation] | None]) -> str:
    """The folder that all files are in of the frames that made operations."""
    frames = (frame for ops in all_ops for op in ops or () for frame in op.traceback)
    files = sorted({frame.filename for frame in frames if "<embedded" not in frame.filename})
    same = 0
    # The first and the last in order have in common what all have.
    while files and files[0][: same + 1] == files[-1][: same + 1] and same < len(files[0]):
        same += 1
    return os.path.split(files[0][:same])[0] if files else ""


def compute_field_dict(op: Operation, strip_file_prefix: str = "") -> dict[str, Any]:
    """By a field's name, what can be told of an operation: its line, its devices and colocations.

    Args:
      op: The operation.
      strip_file_prefix: What is left out where a path begins so.
    """
    frame = _get_defining_frame_from_op(op)
    filename = "" if frame is None else frame.filename.removeprefix(strip_file_prefix)
    line = 0 if frame is None else frame.lineno
    colocations = _compute_colocation_summary_from_op(op)
    devices = _compute_device_assignment_summary_from_op(op)
    return {
        "file": filename,
        "line": line,
        "defined_at": f" (defined at {filename}:{line})" if frame is not None else "",
        "colocations": colocations,
        "devices": devices,
        "devs_and_colocs": f"{colocations}\n{devices}",
    }


def create_graph_debug_info_def(operations: Iterable[tuple[str, Operation]]) -> GraphDebugInfo:
    """The lines that made operations, for tools that read graphs.

    Args:
      operations: Each with the name of the function that it is in, "" for the graph itself.
    """
    found = GraphDebugInfo()
    numbers: dict[str, int] = {}
    for function, op in operations:
        trace = found.traces[function + op.name]
        for frame in reversed(_compute_useful_frames(op, _MOST)):
            number = numbers.setdefault(frame.filename, len(numbers))
            trace.file_line_cols.add(file_index=number, line=frame.lineno or 0)
    found.files.extend(numbers)
    return found


def _compute_device_summary_from_list(
    name: str, device_assignment_list: Sequence[Any], prefix: str = ""
) -> str:
    if not device_assignment_list:
        return f"{prefix}No device assignments were active during op '{name}' creation."
    lines = [f"{prefix}Device assignments active during op '{name}' creation:"]
    for each in device_assignment_list:
        lines.append(f"{prefix}  with tf.device({each.obj}): <{each.filename}:{each.lineno}>")
    return "\n".join(lines)


def _compute_device_assignment_summary_from_op(op: Operation, prefix: str = "") -> str:
    return _compute_device_summary_from_list(op.name, op._device_assignments, prefix)


def _compute_colocation_summary_from_dict(
    name: str, colocation_dict: Mapping[str, Any], prefix: str = ""
) -> str:
    if not colocation_dict:
        return f"{prefix}No node-device colocations were active during op '{name}' creation."
    lines = [f"{prefix}Node-device colocations active during op '{name}' creation:"]
    for other, place in colocation_dict.items():
        lines.append(f"{prefix}  with tf.colocate_with({other}): <{place.filename}:{place.lineno}>")
    return "\n".join(lines)


def _compute_colocation_summary_from_op(op: Operation, prefix: str = "") -> str:
    return _compute_colocation_summary_from_dict(op.name, op._colocation_dict, prefix)


def _is_of_program(filename: str) -> bool:
    if filename.endswith("_test.py"):
        return True
    return not any(part in filename for part in _BAD_FILE_SUBSTRINGS)


def _find_index_of_defining_frame_for_op(op: Operation) -> int:
    """Where in an operation's frames the innermost one of the program is, 0 if there is none."""
    frames = op.traceback
    ours = (place for place, each in enumerate(frames) if _is_of_program(each.filename))
    return max(ours, default=0)


def _get_defining_frame_from_op(op: Operation) -> Any:
    frames = op.traceback
    return frames[_find_index_of_defining_frame_for_op(op)] if frames else None


def _compute_useful_frames(op: Operation, num: int) -> list[Any]:
    """At most `num` frames around the one that defined an operation, the outermost first."""
    frames = op.traceback
    end = min(_find_index_of_defining_frame_for_op(op) + _AROUND + 1, len(frames))
    return frames[max(end - num, 0) : end]


def _with_sources(graph: Graph, name: str) -> list[Operation] | None:
    try:
        op = graph.get_operation_by_name(name)
    except (KeyError, ValueError):
        return None
    return [op, *_sources_for_node(op, graph)]


def _sources_for_node(node: Operation, graph: Graph) -> list[Operation]:
    """The operations that an operation of the graph takes something from or waits for."""
    return list(dict.fromkeys([*(each.op for each in node.inputs), *node.control_inputs]))


def _build_error_message(
    op: Operation, input_ops: Iterable[Operation], common_prefix: str
) -> tuple[str, str]:
    """What stands for an operation's tag, and what is told of its inputs' lines if they differ."""
    at = compute_field_dict(op, common_prefix)["defined_at"]
    lines: dict[str, str] = {}
    for source in input_ops:
        of_source = compute_field_dict(source, common_prefix)["defined_at"]
        if of_source not in ("", at):
            lines.setdefault(of_source, f" {source.name}{of_source}")
    begin = f"\nInput Source operations connected to node {op.name}:\n"
    return f"node {op.name}{at} ", begin + "\t\n".join(lines.values()) if lines else ""
