"""What the commands print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.command.bench import Measured
from dataflow.command.converting import Converted
from dataflow.command.inspection import Report
from dataflow.command.models import Signature, Value
from dataflow.command.running import Outcome, described

_SHOWN = 20


def of_report(report: Report) -> list[str]:
    """Lines for people."""
    lines = [f"{report.path}: {report.kind}, {_size(report.bytes)}"]
    if report.nodes:
        producer = f", producer {report.producer}" if report.producer else ""
        lines.append(f"{report.nodes} nodes, {report.functions} functions{producer}")
    lines.append(f"{report.parameters} parameters")
    if report.tags:
        lines.append(f"Tags: {'; '.join(','.join(each) for each in report.tags)}")
    for name, signature in report.signatures.items():
        lines += _signature(name, signature)
    lines += _some("Ops", [f"{count:6} {op}" for op, count in report.ops.items()])
    tensors = [f"{name} {kind} {list(shape)}" for name, (kind, shape) in report.tensors.items()]
    lines += _some("Tensors", tensors)
    lines += _some("Assets", list(report.assets))
    if report.unsupported:
        lines += _some("Not supported", [f"{op}: {why}" for op, why in report.unsupported.items()])
    elif report.nodes:
        lines.append("All ops are supported.")
    if report.nodes:
        less = f" but for {', '.join(report.cpu_only)}" if report.cpu_only else ""
        lines.append(f"Devices: CPU, GPU{less}")
    return lines


def _some(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    left = len(lines) - _SHOWN
    more = [f"  ... and {left} more (--json has all)"] if left > 0 else []
    return [f"{title}:", *(f"  {line}" for line in lines[:_SHOWN]), *more]


def _signature(name: str, signature: Signature) -> list[str]:
    method = f" ({signature.method})" if signature.method else ""
    return [
        f"Signature {name}{method}:",
        *_values("in ", signature.inputs),
        *_values("out", signature.outputs),
    ]


def _values(title: str, values: Mapping[str, Value]) -> list[str]:
    lines = []
    for key, value in values.items():
        sizes = "?" if value.shape is None else _shape(value.shape)
        lines.append(f"  {title} {key}: {value.dtype} {sizes} = {value.name}")
    return lines


def _shape(shape: tuple[int | None, ...]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def of_outcome(outcome: Outcome) -> list[str]:
    """Lines for people."""
    lines = []
    for name, value in outcome.values.items():
        more = " ..." if value.size > 10 else ""
        kind = "string" if value.dtype == object else value.dtype.name
        lines.append(f"{name}: {kind} {list(value.shape)} {described(value)}{more}")
    if len(outcome.seconds) > 1:
        lines.append(of_times(outcome, len(outcome.seconds)))
    return lines


def of_times(outcome: Outcome, runs: int) -> str:
    """A line for people."""
    times = outcome.summary()
    return (
        f"{runs} runs: median {times['median_ms']:.3f} ms, least {times['min_ms']:.3f} ms, "
        f"90 % below {times['p90_ms']:.3f} ms, most {times['max_ms']:.3f} ms"
    )


def of_measured(measured: Measured) -> str:
    """A line for people."""
    threads = f", {measured.threads} threads" if measured.threads else ""
    times = of_times(measured.outcome, len(measured.outcome.seconds))
    rate = f"{measured.per_second():.0f} rows a second"
    return f"{measured.library}, batch {measured.batch}{threads}: {times}; {rate}"


def measured_as_json(measured: Measured) -> dict[str, Any]:
    """An object for programs."""
    return {
        "library": measured.library,
        "batch": measured.batch,
        "threads": measured.threads,
        "runs": len(measured.outcome.seconds),
        "per_second": measured.per_second(),
        **measured.outcome.summary(),
    }


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An object for programs."""
    return {
        "values": {
            name: {
                "dtype": "string" if value.dtype == object else value.dtype.name,
                "shape": list(value.shape),
                "values": _plain(value),
            }
            for name, value in outcome.values.items()
        },
        **outcome.summary(),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, complex):
        return [value.real, value.imag]
    return _plain(value.tolist()) if hasattr(value, "tolist") else value


def of_conversion(done: Converted) -> str:
    """A line for people."""
    held = f", {done.tensors} tensors" if done.tensors else ""
    outputs = f", outputs: {', '.join(done.outputs)}" if done.outputs else ""
    start = f"; '{done.start}' fills its tables, as `dataflow run` does" if done.start else ""
    return f"{done.target}: {done.kind}{held}{outputs}{start}"


def of_device(device: Mapping[str, Any]) -> str:
    """A line for people."""
    memory = device["memory_limit_bytes"]
    return f"{device['name']} {device['type']}" + (f" {_size(memory)}" if memory else "")
