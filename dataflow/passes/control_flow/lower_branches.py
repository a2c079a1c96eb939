"""If and Case as Switch and Merge: inputs go to the branch that is taken, the others are dead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dataflow.passes.control_flow.inline import Inlined, Site, Tensor, tensor_type
from dataflow.passes.graphs.node_graph import Node
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList

Expand = Callable[[NameAttrList, Site, Sequence[Tensor], Node], Inlined]
"""Puts a function into a graph: the function, where to, its arguments, what it waits for."""


@dataclass(frozen=True, slots=True)
class Operands:
    """What comes into a node that is lowered.

    Attributes:
        inputs: Tensors.
        controls: Nodes it waits for.
    """

    inputs: list[Tensor]
    controls: list[Node]


def lower_branches(
    node: Node,
    branches: Sequence[NameAttrList],
    operands: Operands,
    site: Site,
    expand: Expand,
) -> Inlined:
    """Puts the functions that a node chooses from into a graph, one after the other.

    Returns:
      What stands in the node's place; `effects` is a node that has run when the branch that was
      taken has, if that is more than giving the outputs.
    """
    selector, *inputs = operands.inputs
    selector = _prepared(node, selector, operands.controls, site)
    pivots = _pivots(selector, len(branches), site)
    switches = [
        _switch(site, f"input_{index}", tensor, selector, len(branches))
        for index, tensor in enumerate(inputs)
    ]
    taken = [
        expand(
            branch,
            site.within(f"branch_{index}"),
            [(switch, index) for switch in switches],
            pivots[index],
        )
        for index, branch in enumerate(branches)
    ]
    outputs: list[Tensor] = []
    for index in range(len(node.output_types)):
        merge = _merge(site, f"output_{index}", [branch.outputs[index] for branch in taken])
        outputs.append((merge, 0))
    effects: list[Node] = []
    nodes = [inner for branch in taken for inner in branch.nodes]
    if not outputs or any(branch.effects for branch in taken):
        ends = [
            (site.identity(f"end_{index}", (pivots[index], 0), branch.effects), 0)
            for index, branch in enumerate(taken)
        ]
        effects.append(_merge(site, "end", ends))
    return Inlined(outputs, effects, nodes)


def branches_of(node: Node) -> list[NameAttrList]:
    """The functions an If or Case node chooses from, that for False or 0 first."""
    if "branches" in node.attrs:
        return list(node.attrs["branches"])
    return [node.attrs["else_branch"], node.attrs["then_branch"]]


def _prepared(node: Node, selector: Tensor, controls: list[Node], site: Site) -> Tensor:
    """The condition as a boolean, or the index, there after all that the node waits for."""
    if "else_branch" in node.attrs and tensor_type(selector) is not dtypes.bool:
        return site.add("condition", "ToBool", [selector], controls, T=tensor_type(selector)), 0
    if controls:
        return site.identity("condition", selector, controls), 0
    return selector


def _pivots(selector: Tensor, count: int, site: Site) -> list[Node]:
    """For each branch a node that runs if the branch is taken."""
    switch = _switch(site, "switch", selector, selector, count)
    return [site.identity(f"pivot_{index}", (switch, index)) for index in range(count)]


def _switch(site: Site, name: str, tensor: Tensor, selector: Tensor, count: int) -> Node:
    device, dtype = tensor[0].device, tensor_type(tensor)
    if tensor_type(selector) is dtypes.bool:
        return site.add(name, "Switch", [tensor, selector], (), device, T=dtype)
    return site.add(name, "_SwitchN", [tensor, selector], (), device, T=dtype, num_outs=count)


def _merge(site: Site, name: str, tensors: Sequence[Tensor]) -> Node:
    return site.add(name, "Merge", tensors, T=tensor_type(tensors[0]), N=len(tensors))
