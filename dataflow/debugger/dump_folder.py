"""DebugDumpDir: all that a step has dumped."""

from __future__ import annotations

import collections
import glob
import json
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from dataflow.debugger.tensor_dumps import DebugTensorDatum, read_event
from dataflow.errors import DataLossError
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.records.dumps import (
    CORE_PREFIX,
    DEVICE_PREFIX,
    FEEDS_NAME,
    FETCHES_NAME,
    GRAPH_PREFIX,
    PREFIX,
)
from dataflow.schema.node_validation import parse_input


class CoreMetadata(NamedTuple):
    """What a step was asked for."""

    global_step: int
    session_run_index: int
    executor_step_index: int
    input_names: list[str]
    output_names: list[str]
    target_nodes: list[str]


class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """Nothing was dumped of a tensor."""


class DebugDumpDir:
    """The dumps of a step.

    Args:
      dump_root: Its folder.
      partition_graphs: The GraphDefs of the devices, where the folder holds none.
      validate: Whether each dumped tensor must be of a node of these graphs.

    Raises:
      OSError: There is no such folder.
      DataLossError: A file does not hold what its name says.
      ValueError: A file has no name of a dump, or a graph lacks the node of one.
    """

    def __init__(
        self,
        dump_root: str,
        partition_graphs: Iterable[GraphDef] | None = None,
        validate: bool = True,
    ) -> None:
        if not os.path.isdir(dump_root):
            raise OSError(f"Dump root directory {dump_root} does not exist")
        self._root = dump_root
        self._python_graph: Any = None
        self._core = [_core(path, text) for path, text in self._texts(CORE_PREFIX).items()]
        self._fetches = [*self._texts(FETCHES_NAME).values()]
        self._feeds = [*self._texts(FEEDS_NAME).values()]
        self._graphs: dict[str, GraphDef] = {}
        self._data: list[DebugTensorDatum] = []
        for path in sorted(glob.glob(os.path.join(glob.escape(dump_root), f"{DEVICE_PREFIX}*"))):
            self._load_device(path)
        self._data.sort(key=lambda datum: (datum.timestamp, datum.extended_timestamp))
        for graph in partition_graphs or ():
            device = next((node.device for node in graph.node if node.device), "")
            self._graphs.setdefault(device, graph)
        self._nodes: dict[str, dict[str, NodeDef]] = {
            device: {node.name: node for node in graph.node}
            for device, graph in self._graphs.items()
        }
        self._by_key: dict[str, list[DebugTensorDatum]] = collections.defaultdict(list)
        for datum in self._data:
            self._by_key[datum.watch_key].append(datum)
            known = self._nodes.get(datum.device_name)
            if validate and known is not None and datum.node_name not in known:
                raise ValueError(
                    f"Node name '{datum.node_name}' is not found in partition graphs of device "
                    f"{datum.device_name}."
                )

    def _texts(self, prefix: str) -> dict[str, str]:
        """By path what files say whose names begin so."""
        paths = glob.glob(os.path.join(glob.escape(self._root), f"{prefix}*"))
        return {path: read_event(path).log_message.message for path in sorted(paths)}

    def _load_device(self, folder: str) -> None:
        for path, _, names in os.walk(folder):
            for name in names:
                if name.startswith(GRAPH_PREFIX):
                    graph = _graph(os.path.join(path, name))
                    device = next((node.device for node in graph.node if node.device), "")
                    self._graphs[device] = graph
                elif not name.startswith(PREFIX):
                    relative = os.path.relpath(os.path.join(path, name), self._root)
                    self._data.append(DebugTensorDatum(self._root, relative))

    @property
    def dumped_tensor_data(self) -> list[DebugTensorDatum]:
        """The dumped tensors as they came."""
        return list(self._data)

    @property
    def size(self) -> int:
        """How many they are."""
        return len(self._data)

    @property
    def t0(self) -> int | None:
        """When the first one was dumped, in microseconds."""
        return self._data[0].timestamp if self._data else None

    @property
    def core_metadata(self) -> Any:
        """What the step was asked for; a list where several steps have dumped to the folder."""
        return self._core[0] if len(self._core) == 1 else self._core

    @property
    def run_fetches_info(self) -> Any:
        """The fetches as text, where a session that dumps has written them."""
        return self._fetches[0] if len(self._fetches) == 1 else self._fetches

    @property
    def run_feed_keys_info(self) -> Any:
        """The keys that were fed as text, where a session that dumps has written them."""
        return self._feeds[0] if len(self._feeds) == 1 else self._feeds

    @property
    def python_graph(self) -> Any:
        """The graph that `set_python_graph` was given."""
        return self._python_graph

    def set_python_graph(self, python_graph: Any) -> None:
        """Takes the graph, so that `node_traceback` can tell where nodes were made."""
        self._python_graph = python_graph

    def loaded_partition_graphs(self) -> bool:
        """Whether the graphs of the devices are known."""
        return bool(self._graphs)

    def partition_graphs(self) -> list[GraphDef]:
        """The graphs of the devices.

        Raises:
          LookupError: They are not known.
        """
        if not self._graphs:
            raise LookupError("No partition graphs have been loaded.")
        return list(self._graphs.values())

    def devices(self) -> list[str]:
        """The names of the devices."""
        return list(dict.fromkeys((*self._graphs, *(d.device_name for d in self._data))))

    def nodes(self, device_name: str | None = None) -> list[str]:
        """The names of the nodes of one device, or of all.

        Raises:
          LookupError: The graphs are not known.
          ValueError: There is no such device.
        """
        self.partition_graphs()
        if device_name is None:
            return [name for nodes in self._nodes.values() for name in nodes]
        if device_name not in self._nodes:
            raise ValueError(f"Invalid device name: {device_name}")
        return list(self._nodes[device_name])

    def node_exists(self, node_name: str, device_name: str | None = None) -> bool:
        """Whether a device, or any one, has a node."""
        return node_name in self.nodes(device_name)

    def _node(self, name: str, device_name: str | None = None) -> NodeDef:
        self.partition_graphs()
        for device, nodes in self._nodes.items():
            if device_name in (None, device) and name in nodes:
                return nodes[name]
        where = f"device '{device_name}'" if device_name else "any device"
        raise ValueError(f"Node '{name}' does not exist in the partition graph of {where}.")

    def node_device(self, node_name: str) -> str:
        """The device that runs a node."""
        device: str = self._node(node_name).device
        return device

    def node_op_type(self, node_name: str, device_name: str | None = None) -> str:
        """The op type of a node."""
        op: str = self._node(node_name, device_name).op
        return op

    def node_attributes(self, node_name: str, device_name: str | None = None) -> Any:
        """The attrs of a node."""
        return self._node(node_name, device_name).attr

    def node_inputs(
        self, node_name: str, is_control: bool = False, device_name: str | None = None
    ) -> list[str]:
        """The tensors that a node takes, or the nodes that it waits for."""
        inputs = self._node(node_name, device_name).input
        return [name.lstrip("^") for name in inputs if name.startswith("^") == is_control]

    def node_recipients(
        self, node_name: str, is_control: bool = False, device_name: str | None = None
    ) -> list[str]:
        """The nodes that take what a node gives, or wait for it."""
        nodes = self._nodes[self._node(node_name, device_name).device]
        return [
            node.name
            for node in nodes.values()
            for name in node.input
            if name.startswith("^") == is_control and parse_input(name.lstrip("^"))[0] == node_name
        ]

    def node_traceback(self, element_name: str) -> Any:
        """Where the program made a node, or the node of a tensor.

        Raises:
          LookupError: `set_python_graph` was not called.
          KeyError: The graph has no such node.
        """
        if self._python_graph is None:
            raise LookupError("Python graph is not available for traceback lookup")
        name = parse_input(element_name)[0]
        try:
            return self._python_graph.get_operation_by_name(name).traceback
        except KeyError:
            raise KeyError(f'Cannot find node "{name}" in Python graph') from None

    def debug_watch_keys(self, node_name: str, device_name: str | None = None) -> list[str]:
        """The keys of what was dumped of a node: "node:0:DebugIdentity"."""
        return list(
            dict.fromkeys(
                datum.watch_key
                for datum in self._data
                if datum.node_name == node_name and device_name in (None, datum.device_name)
            )
        )

    def watch_key_to_data(
        self, debug_watch_key: str, device_name: str | None = None
    ) -> list[DebugTensorDatum]:
        """What was dumped under a key; nothing if there is no such key."""
        found = self._by_key.get(debug_watch_key, [])
        return [datum for datum in found if device_name in (None, datum.device_name)]

    def find(
        self,
        predicate: Callable[[DebugTensorDatum, Any], bool],
        first_n: int = 0,
        device_name: str | None = None,
        exclude_node_names: str | None = None,
    ) -> list[DebugTensorDatum]:
        """The dumped tensors that a function is true of.

        Args:
          predicate: Is given the dump and its value.
          first_n: How many are wanted at most; 0 for all.
          device_name: Of which device.
          exclude_node_names: A pattern for the beginning of names that are left out.
        """
        found: list[DebugTensorDatum] = []
        for datum in self._data:
            if device_name not in (None, datum.device_name):
                continue
            if exclude_node_names and re.match(exclude_node_names, datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                found.append(datum)
                if len(found) == first_n:
                    break
        return found

    def _dumps(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None
    ) -> list[DebugTensorDatum]:
        key = f"{node_name}:{output_slot}:{debug_op}"
        found = self.watch_key_to_data(key, device_name)
        if not found:
            where = f"of device {device_name}" if device_name else "of any device"
            raise WatchKeyDoesNotExistInDebugDumpDirError(
                f'Watch key "{key}" does not exist in the debug dump {where}'
            )
        return found

    def get_tensors(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[Any]:
        """The values of a tensor, one for each time that it was made.

        Raises:
          WatchKeyDoesNotExistInDebugDumpDirError: It was not dumped.
        """
        found = self._dumps(node_name, output_slot, debug_op, device_name)
        return [datum.get_tensor() for datum in found]

    def get_tensor_file_paths(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[str]:
        """The files of a tensor; raises as `get_tensors` does."""
        found = self._dumps(node_name, output_slot, debug_op, device_name)
        return [datum.file_path for datum in found]

    def get_rel_timestamps(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int]:
        """When a tensor was dumped, in microseconds after `t0`; raises as `get_tensors` does."""
        found = self._dumps(node_name, output_slot, debug_op, device_name)
        return [datum.timestamp - (self.t0 or 0) for datum in found]

    def get_dump_sizes_bytes(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int | None]:
        """How long the files of a tensor are; raises as `get_tensors` does."""
        found = self._dumps(node_name, output_slot, debug_op, device_name)
        return [datum.dump_size_bytes for datum in found]


def _core(path: str, text: str) -> CoreMetadata:
    try:
        found = json.loads(text)
        return CoreMetadata(*(found[name] for name in CoreMetadata._fields))
    except (ValueError, TypeError, KeyError) as error:
        raise DataLossError(
            None, None, f"{path} does not say what the step was asked for: {error!r}"
        ) from None


def _graph(path: str) -> GraphDef:
    try:
        return GraphDef.FromString(read_event(path).graph_def)
    except DecodeError as error:
        raise DataLossError(None, None, f"{path} holds no GraphDef: {error}") from None
