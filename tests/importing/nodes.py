"""Short ways to write nodes of a GraphDef in protobuf text."""

from __future__ import annotations


def attr(name: str, value: str) -> str:
    """An attr of a node; `value` is protobuf text such as `i: 3`."""
    return f'attr {{ key: "{name}" value {{ {value} }} }} '


def strings(name: str, *values: str) -> str:
    """An attr that is a list of strings."""
    return attr(name, "list { " + " ".join(f's: "{value}"' for value in values) + " }")


def shapes(*dims: str) -> str:
    """The attr `_output_shapes`; each argument is the text of a shape."""
    return attr("_output_shapes", "list { " + " ".join(f"shape {{ {d} }}" for d in dims) + " }")


def together(*names: str) -> str:
    """The attr `_class` that puts a node together with others."""
    return strings("_class", *(f"loc:@{name}" for name in names))


def node(name: str, op: str = "NoOp", inputs: str = "", attrs: str = "", device: str = "") -> str:
    """A node; inputs are separated by commas."""
    given = " ".join(f'input: "{text}"' for text in inputs.split(",") if text)
    place = f'device: "{device}"' if device else ""
    return f'node {{ name: "{name}" op: "{op}" {given} {place} {attrs} }}\n'


def identity(name: str, inputs: str, attrs: str = "", device: str = "") -> str:
    """An Identity of a float tensor."""
    return node(name, "Identity", inputs, attr("T", "type: DT_FLOAT") + attrs, device)


def placeholder(name: str, size: int | None = 2, device: str = "") -> str:
    """A Placeholder of a float vector, or of unknown shape."""
    shape = "unknown_rank: true" if size is None else f"dim {{ size: {size} }}"
    attrs = attr("dtype", "type: DT_FLOAT") + attr("shape", f"shape {{ {shape} }}")
    return node(name, "Placeholder", "", attrs, device)


def constant(name: str, value: float = 1.0) -> str:
    """A float scalar."""
    tensor = f"tensor {{ dtype: DT_FLOAT tensor_shape {{ }} float_val: {value} }}"
    return node(name, "Const", "", attr("dtype", "type: DT_FLOAT") + attr("value", tensor))


def library(*functions: str) -> str:
    """The functions of a GraphDef; by default one, "F" of a float."""
    return f"library {{ {' '.join(functions or [function('F')])} }}\n"


def function(name: str, kind: str = "DT_FLOAT") -> str:
    """A function that gives back its argument."""
    return (
        f'function {{ signature {{ name: "{name}" '
        f'input_arg {{ name: "x" type: {kind} }} output_arg {{ name: "y" type: {kind} }} }} '
        'ret { key: "y" value: "x" } }'
    )


A = placeholder("a")
