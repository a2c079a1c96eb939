"""Files of TensorBoard's plugins that a graph brings with it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from dataflow.graph.graph import Graph
from dataflow.graph.scopes import get_default_graph

FOLDER: Final = "plugins"
"""Below the folder of the events."""
_COLLECTION: Final = "__tensorboard_plugin_asset__"
"""The names of a graph's plugins; with such a name behind it, the plugin's assets."""


class PluginAsset(ABC):
    """What a plugin wants written beside the events of a graph: one for each graph."""

    plugin_name: ClassVar[str | None] = None
    """Of the plugin, for subclasses to say."""

    @abstractmethod
    def assets(self) -> Mapping[str, str]:
        """The text of each file, by name."""


def get_plugin_asset(plugin_asset_cls: Any, graph: Graph | None = None) -> Any:
    """The assets of a class in a graph, made if it has none.

    Args:
      plugin_asset_cls: A subclass of `PluginAsset`.
      graph: The graph; the default one if None.

    Raises:
      ValueError: The class says no name, or another class has it.
    """
    graph = graph or get_default_graph()
    if not plugin_asset_cls.plugin_name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    name = _COLLECTION + plugin_asset_cls.plugin_name
    if not graph.get_collection(name):
        graph.add_to_collection(name, plugin_asset_cls())
        graph.add_to_collection(_COLLECTION, plugin_asset_cls.plugin_name)
    found = _only_one(graph, name)
    if not isinstance(found, plugin_asset_cls):
        raise ValueError(
            f"Plugin name collision between classes {plugin_asset_cls.__name__} and "
            f"{type(found).__name__}"
        )
    return found


def get_all_plugin_assets(graph: Graph | None = None) -> list[Any]:
    """The assets in a graph, the default one if None.

    Raises:
      ValueError: A plugin has not one object there.
    """
    graph = graph or get_default_graph()
    return [_only_one(graph, _COLLECTION + name) for name in graph.get_collection(_COLLECTION)]


def write_plugin_assets(logdir: Any, graph: Graph) -> None:
    """Writes the files where TensorBoard looks for them."""
    for asset in get_all_plugin_assets(graph):
        folder = Path(os.fsdecode(logdir), FOLDER, asset.plugin_name)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in asset.assets().items():
            (folder / name).write_text(text)


def _only_one(graph: Graph, name: str) -> Any:
    found = graph.get_collection(name)
    if len(found) != 1:
        raise ValueError(f"Collection for {name} had {len(found)} items, expected 1")
    return found[0]
