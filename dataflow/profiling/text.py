"""A profile as text: the options, what the columns mean, and a line for each entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from dataflow.profiling.nodes import Costs, NodeInfo
from dataflow.profiling.views import Entry

_OPTIONS: Final = [
    "max_depth",
    "min_bytes",
    "min_peak_bytes",
    "min_residual_bytes",
    "min_output_bytes",
    "min_micros",
    "min_accelerator_micros",
    "min_cpu_micros",
    "min_params",
    "min_float_ops",
    "min_occurrence",
    "step",
    "order_by",
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
    "account_displayed_op_only",
    "select",
    "output",
]
_COLUMNS: Final = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "micros": "total execution time",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
    "device": "assigned devices",
    "op_types": "op types",
    "occurrence": "op occurrence (run|defined)",
    "input_shapes": "input shapes",
}
_MEMORY: Final = {
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
}
_TIMES: Final = {
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
}
_VIEWS: Final = {
    "scope": "nodes by their name scopes.",
    "graph": "nodes by who takes whose values.",
    "op": "nodes by the types of their ops.",
    "code": "nodes by the lines of the program that made them.",
}
_MEANINGS: Final = {
    "params": "numbers that a variable holds.",
    "float_ops": "operations on numbers, counted by shapes; of steps, as often as nodes ran.",
    "bytes": "memory that nodes asked for.",
    "peak_bytes": "memory that they held at a time.",
    "residual_bytes": "memory that they held after they had run.",
    "output_bytes": "memory of their results.",
    "micros": "time on accelerators and on CPUs.",
    "accelerator_micros": "time on accelerators.",
    "cpu_micros": "time on CPUs, from a node's start to its end.",
    "device": "where nodes ran.",
    "op_types": "op type, device, and types of the op log.",
    "occurrence": "how often nodes ran, and how many there are.",
    "input_shapes": "shapes of the inputs.",
}


def report(entry: Entry, command: str, options: Mapping[str, Any], step: int) -> str:
    """All of it, as TensorFlow lays it out."""
    selected = _selected(options)
    lines = ["", "=========================Options============================="]
    lines += [f"-{name:<27}{_told(options, name)}" for name in _OPTIONS]
    lines += ["", "==================Model Analysis Report======================", "", "Doc:"]
    lines += [f"{command}: {_VIEWS[command]}"]
    lines += [f"{_COLUMNS[name].lstrip('# ')}: {_MEANINGS[name]}" for name in selected]
    columns = " | ".join(_COLUMNS[name] for name in selected)
    if command in ("scope", "graph"):
        columns = columns.replace("op occurrence", "op count")
    lines += ["", "Profile:", f"node name | {columns}"]
    lines += _kinds(entry, selected, step) if command == "op" else _tree(entry, selected)
    lines += ["", "======================End of Report==========================", ""]
    return "\n".join(lines)


def _selected(options: Mapping[str, Any]) -> list[str]:
    """The columns in their order; of the time its parts are shown, too."""
    asked = set(options.get("select", ()))
    if "micros" in asked:
        asked |= set(_TIMES)
    return [name for name in _COLUMNS if name in asked]


def _told(options: Mapping[str, Any], name: str) -> str:
    value = options.get(name, "" if name in ("order_by", "output") else 0)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(sorted(value) if name == "select" else value)
    return str(value)


def _tree(root: Entry, selected: Sequence[str]) -> Iterator[str]:
    ahead = [(root, 0)]
    while ahead:
        entry, depth = ahead.pop()
        cells = [_cell(entry, name) for name in selected if name != "device" or entry.info.devices]
        yield f"{'  ' * depth}{entry.name} ({', '.join(cells)})"
        ahead.extend((child, depth + 1) for child in reversed(entry.children))


def _cell(entry: Entry, name: str) -> str:
    info, own, total = entry.info, entry.own, entry.total
    if name == "params":
        shape = "x".join(map(str, info.shape))
        both = _both(entry, _number(own.parameters), _number(total.parameters)) + " params"
        return f"{shape}, {both}" if shape else both
    if name == "float_ops":
        return _both(entry, _number(own.float_ops), _number(total.float_ops)) + " flops"
    if name in _MEMORY:
        field = _MEMORY[name]
        return _both(entry, _memory(getattr(own, field)), _memory(getattr(total, field)))
    if name in _TIMES:
        field = _TIMES[name]
        return _both(entry, _time(getattr(own, field)), _time(getattr(total, field)))
    if name == "device":
        return "|".join(info.devices)
    if name == "op_types":
        return "|".join(sorted(set(info.types)))
    if name == "occurrence":
        runs = _both(entry, str(own.run_count), str(total.run_count))
        there = _both(entry, str(own.definition_count), str(total.definition_count))
        return f"{runs}|{there}"
    return _shapes(info, "|")


def _both(entry: Entry, own: str, total: str) -> str:
    return f"{own if entry.is_counted else '--'}/{total}"


def _kinds(root: Entry, selected: Sequence[str], step: int) -> Iterator[str]:
    everything = root.total
    entry = root
    while entry.children:
        entry = entry.children[0]
        cells = ", ".join(
            _kind_cell(entry, name, everything) for name in selected if name != "input_shapes"
        )
        yield f"{entry.name:<25}{cells}"
        if "input_shapes" in selected:
            yield from ("", *_inputs(entry, step), "")


def _kind_cell(entry: Entry, name: str, everything: Costs) -> str:
    own, total = entry.own, entry.total

    def shares(field: str, text: str) -> str:
        whole = getattr(everything, field)
        below, alone = (
            100 * getattr(costs, field) / whole if whole else 0 for costs in (total, own)
        )
        return f"{text} ({below:.2f}%, {alone:.2f}%)"

    if name == "params":
        return f"{shares('parameters', _number(own.parameters) + ' params'):>30}"
    if name == "float_ops":
        return f"{shares('float_ops', _number(own.float_ops) + ' float_ops'):>30}"
    if name in _MEMORY:
        return f"{shares(_MEMORY[name], _memory(getattr(own, _MEMORY[name]))):>30}"
    if name in _TIMES:
        return f"{shares(_TIMES[name], _time(getattr(own, _TIMES[name]))):>30}"
    if name == "device":
        return "|".join(entry.info.devices)
    if name == "op_types":
        return "|".join(sorted(set(entry.info.types) - set(entry.info.devices)))
    return f"{own.run_count}|{own.definition_count}".rjust(10)


def _inputs(entry: Entry, step: int) -> Iterator[str]:
    """How often the kind has which shapes of inputs."""
    found: dict[str, Costs] = {}
    for member in entry.members:
        costs = found.setdefault(_shapes(member, ",\t"), Costs())
        costs += member.costs(step)
    for shapes in sorted(found, key=lambda each: (-found[each].exec_micros, each)):
        costs = found[shapes]
        yield (
            f"input_type: {shapes}\t(run*{costs.run_count}|defined*{costs.definition_count})"
            f"\texec_time: {_time(costs.exec_micros)}"
        )


def _shapes(info: NodeInfo, between: str) -> str:
    return between.join(
        f"{index}:{'x'.join(map(str, lengths)) or 'unknown'}"
        for index, lengths in sorted(info.input_shapes.items())
    )


def _number(value: int) -> str:
    for size, letter in ((10**9, "b"), (10**6, "m"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.2f}{letter}"
    return str(value)


def _memory(value: int) -> str:
    for size, unit in ((10**6, "MB"), (10**3, "KB")):
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return f"{value}B"


def _time(micros: int) -> str:
    for size, unit in ((10**6, "sec"), (10**3, "ms")):
        if micros >= size:
            return f"{micros / size:.2f}{unit}"
    return f"{micros}us"
