"""GraphDef into NodeGraph and back: what is accepted, and what is said of the rest."""

from __future__ import annotations

import re

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflow.errors import InvalidArgumentError
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import extend, import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import dtypes
from tests.passes import oracle
from tests.passes.building import Nodes, assert_sound, names, text

_CONST = """node { name: "%s" op: "Const"
  attr { key: "dtype" value { type: %s } }
  attr { key: "value" value { tensor { dtype: %s tensor_shape { } %s } } } }"""
_A = _CONST % ("a", "DT_FLOAT", "DT_FLOAT", "float_val: 1")
_B = _CONST % ("b", "DT_FLOAT", "DT_FLOAT", "float_val: 1")
_I = _CONST % ("i", "DT_INT32", "DT_INT32", "int_val: 1")
_S = 'node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }'
_P = 'node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'


def _node(op: str, inputs: str, attrs: str = "", name: str = "x", t: str = "type: DT_FLOAT") -> str:
    given = " ".join(f'input: "{text}"' for text in inputs.split(","))
    given = "" if not inputs else given
    attr_t = f'attr {{ key: "T" value {{ {t} }} }}' if t else ""
    return f'node {{ name: "{name}" op: "{op}" {given} {attr_t} {attrs} }}'


def _attr(key: str, value: str) -> str:
    return f'attr {{ key: "{key}" value {{ {value} }} }}'


def _ints(key: str, *values: int) -> str:
    return _attr(key, f"list {{ {' '.join(f'i: {v}' for v in values)} }}")


def _function(signature: str) -> str:
    library = f'library {{ function {{ signature {{ name: "F" {signature} }} }} }}'
    return f'{library} {_A} node {{ name: "f" op: "F" input: "a" }}'


_POOL = _ints("strides", 1, 1, 1, 1)

# Where both are malformed in the same way, the words are TensorFlow's.
SAME_WORDS = {
    "missing attr": _A + _node("Add", "a,a", t=""),
    "missing tensor": 'node { name: "x" op: "Const" attr { key: "dtype" value { type: 1 } } }',
    "int for type": _A + _node("Add", "a,a", t="i: 3"),
    "int for bool": _A + _node("MatMul", "a,a", _attr("transpose_a", "i: 1")),
    "int for list": _A + _node("Squeeze", "a", _attr("squeeze_dims", "i: 1")),
    "strings for ints": _A + _node("Squeeze", "a", _attr("squeeze_dims", 'list { s: "a" }')),
    "no value": _A + _node("Squeeze", "a", t=""" """),
    "type not allowed": _S + _node("MatMul", "s,s", t="type: DT_STRING"),
    "type 0": _A + _node("Add", "a,a", t="type: DT_INVALID"),
    "type 77": _A + _node("Add", "a,a", t="type: 77"),
    "type ref": _A + _node("Add", "a,a", t="type: DT_FLOAT_REF"),
    "string not allowed": _P
    + _node("AvgPool", "p", _attr("padding", 's: "FOO"') + _ints("ksize", 1, 1, 1, 1) + _POOL),
    "list too short": _P
    + _node("AvgPool", "p", _attr("padding", 's: "SAME"') + _ints("ksize", 1) + _POOL),
    "number too small": _A + _node("Pack", "a", _attr("N", "i: 0")),
    "fewer than N": _A + _node("Pack", "a", _attr("N", "i: 2")),
    "too few inputs": _A + _node("Add", "a"),
    "too many inputs": _A + _node("Add", "a,a,a"),
    "wrong type": _A + _node("Add", "a,a", t="type: DT_INT32"),
    "second of wrong type": _A + _I + _node("Add", "a,i"),
    "no ref": _A + _node("Assign", "a,a"),
    "unknown input": _A + _node("Add", "a,b"),
    "unknown input with slot": _A + _node("Add", "a,b:1"),
    "unknown control input": _A + _node("Add", "a,a,^b"),
    "slot out of range": _A + _node("Add", "a,a:3"),
    "slot negative": _A + _node("Add", "a,a:-1"),
    "slot no number": _A + _node("Add", "a,a:b"),
    "slot huge": _A + _node("Add", "a,a:99999999999999999999"),
    "control with slot": _A + _B + _node("Add", "a,a,^b:0"),
    "empty input": _A + _node("Add", "a,"),
    "twice": _A + _A,
    "control first": _A + _B + _node("Add", "^b,a,a"),
    "control between": _A + _B + _node("Add", "a,^b,a"),
    "name with space": _CONST % ("a b", "DT_FLOAT", "DT_FLOAT", ""),
    "name with underscore first": _CONST % ("_a", "DT_FLOAT", "DT_FLOAT", ""),
    "name empty": _CONST % ("", "DT_FLOAT", "DT_FLOAT", ""),
    "name with slash first": _CONST % ("/a", "DT_FLOAT", "DT_FLOAT", ""),
    "name like a control input": _CONST % ("^a", "DT_FLOAT", "DT_FLOAT", ""),
    "name like a tensor": _CONST % ("a:0", "DT_FLOAT", "DT_FLOAT", ""),
    "name with newline": _CONST % ("a\\n", "DT_FLOAT", "DT_FLOAT", ""),
    "colocated with nothing": _A + _node("Add", "a,a", _attr("_class", 'list { s: "loc:@zz" }')),
    "function twice": """library { function { signature { name: "F" } }
      function { signature { name: "F" input_arg { name: "x" type: DT_FLOAT } } } }""",
    "function named as an op": 'library { function { signature { name: "Add" } } }',
    "function of other types": _I
    + """library { function { signature { name: "F"
      input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      ret { key: "y" value: "x" } } } node { name: "f" op: "F" input: "i" }""",
}

# What TensorFlow accepts, and so do we.
ACCEPTED = {
    "unknown attr": _A + _node("Add", "a,a", _attr("foo", "i: 1") + _attr("_bar", 's: "b"')),
    "control twice": _A + _B + _node("Add", "a,a,^b,^b"),
    "producer of the future": "versions { producer: 99999999 }" + _A,
    "slot with zeros": _A + _node("Add", "a,a:00"),
    "name with angle": _CONST % ("a>b", "DT_FLOAT", "DT_FLOAT", ""),
    "device": _A.replace("op:", 'device: "/cpu:0" op:'),
    "empty list": _A + _node("Squeeze", "a", _attr("squeeze_dims", "list { }")),
    "forward reference": _node("Add", "a,y") + _node("Add", "a,a", name="y") + _A,
    "loop": _A
    + _node("Enter", "a", _attr("frame_name", 's: "f"'), name="e")
    + _node("Merge", "e,n", _attr("N", "i: 2"), name="m")
    + _node("NextIteration", "m", name="n"),
    "function": _A
    + """library { function { signature { name: "F"
      input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      ret { key: "y" value: "x" } } } node { name: "f" op: "F" input: "a" }""",
}

# What we refuse and say in our own words: (GraphDef, words that must be there).
OWN_WORDS = {
    "unknown op": (_A + 'node { name: "x" op: "Foo" }', ["Op type not registered 'Foo'", "'x'"]),
    "system op": (
        _A + _node("_Retval", "a", _attr("index", "i: 0")),
        ["'x'", "'_Retval'", "a session adds"],
    ),
    "cycle": (
        _A + _node("Add", "a,y") + _node("Add", "x,a", name="y") + _node("Add", "y,a", name="z"),
        ["cycle with 3 nodes", "x, y, z"],
    ),
    "self cycle": (_A + _node("Add", "a,x"), ["cycle with 1 nodes", "x"]),
    "control cycle": (
        _A + _node("Add", "a,a,^y") + _node("Add", "x,a", name="y"),
        ["cycle with 2 nodes", "x, y"],
    ),
    "merge without next iteration": (
        _A + _node("Merge", "a,y", _attr("N", "i: 2")) + _node("Identity", "x", name="y"),
        ["cycle with 2 nodes", "x, y"],
    ),
    "both lists": (
        _A + _node("Squeeze", "a", _attr("squeeze_dims", 'list { i: 1 s: "a" }')),
        ["list(string)", "list(int)", "squeeze_dims", "{{node x}}"],
    ),
    "placeholder attr": (_A + _node("Add", "a,a", t='placeholder: "q"'), ["'T'", "{{node x}}"]),
    "device": (
        _A.replace("op:", 'device: "/foo:bar" op:'),
        ["Malformed device specification '/foo:bar'", "{{node a}}", "foo"],
    ),
    "device task": (
        _A.replace("op:", 'device: "/job:w/task:x" op:'),
        ["Malformed device specification '/job:w/task:x'", "{{node a}}"],
    ),
    "too new": (
        "versions { producer: 100 min_consumer: 99999 }" + _A,
        ["GraphDef min consumer version 99999 above current version 2474", "Please upgrade"],
    ),
    "too old": (
        "versions { producer: -1 }" + _A,
        ["GraphDef producer version -1 below min producer 0", "Please regenerate your graph."],
    ),
    "bad consumer": (
        "versions { producer: 1 bad_consumers: 2474 }" + _A,
        ["GraphDef disallows consumer version 2474", "likely buggy"],
    ),
    "N huge": (_A + _node("Pack", "a", _attr("N", "i: 2000000000")), ["'N'", "2000000000", "x"]),
    "outputs huge": (
        _A + _I + _node("Split", "i,a", _attr("num_split", "i: 2000000000")),
        ["'num_split'", "{{node x}}"],
    ),
    "function of unknown kind": (
        _function('attr { name: "k" type: "thing" }'),
        ["Attr 'k' of op 'F'", "'thing'"],
    ),
    "function of no type": (
        _function('input_arg { name: "x" }'),
        ["Argument 'x' of op 'F' has no element type"],
    ),
    "function of no such attr": (
        _function('input_arg { name: "x" type_attr: "T" }'),
        ["Argument 'x' of op 'F' names 'T'", "kind type"],
    ),
    "function of an attr of another kind": (
        _function('attr { name: "N" type: "type" } input_arg { name: "x" number_attr: "N" }'),
        ["Argument 'x' of op 'F' names 'N'", "kind int"],
    ),
    "tensor of another type": (
        _CONST % ("x", "DT_FLOAT", "DT_INT32", "int_val: 1"),
        ["int32", "float", "'value'", "{{node x}}"],
    ),
    "tensor too short": (
        _CONST.replace("tensor_shape { }", "tensor_shape { dim { size: 2 } }")
        % ("x", "DT_FLOAT", "DT_FLOAT", 'tensor_content: "abc"'),
        ["'value'", "{{node x}}", "3 bytes"],
    ),
    "tensor negative": (
        _CONST.replace("tensor_shape { }", "tensor_shape { dim { size: -2 } }")
        % ("x", "DT_FLOAT", "DT_FLOAT", ""),
        ["'value'", "{{node x}}", "negative"],
    ),
    "shape negative": (
        _P.replace("attr", _attr("shape", "shape { dim { size: -5 } }") + " attr", 1),
        ["'shape'", "{{node p}}"],
    ),
}


def _parse(source: str) -> GraphDef:
    return text_format.Parse(source, GraphDef())


def _refusal(graph_def: GraphDef) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        import_graph(graph_def)
    return caught.value.message


def _in_order(message: str) -> str:
    """TensorFlow lists allowed types as registered, we list them by number."""

    def ordered(match: re.Match[str]) -> str:
        return match[1] + ", ".join(sorted(match[2].split(", "))) + match[3]

    message = re.sub(r"(allowed=\[)([^\]]*)(\])", ordered, message)
    return re.sub(r"(allowed values: )([^\n]*)(\n)", ordered, message)


@pytest.mark.parametrize("case", SAME_WORDS)
def test_malformed_as_tensorflow_says_it(case: str) -> None:
    graph_def = _parse(SAME_WORDS[case])
    theirs = oracle.import_error(graph_def)
    assert theirs is not None
    # What sessions of TensorFlow's say beyond its importer.
    advice = " Try using tf.compat.v1.experimental.output_all_intermediates(True)."
    assert _in_order(_refusal(graph_def)).removesuffix(advice) == _in_order(theirs)


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_as_by_tensorflow(case: str) -> None:
    graph_def = _parse(ACCEPTED[case])
    assert oracle.import_error(graph_def) is None
    graph = import_graph(graph_def)
    assert_sound(graph)
    assert names(graph) == {node.name for node in graph_def.node}


@pytest.mark.parametrize("case", OWN_WORDS)
def test_malformed_in_our_words(case: str) -> None:
    source, words = OWN_WORDS[case]
    message = _refusal(_parse(source))
    for word in words:
        assert word in message, message


def test_ids_follow_the_order_of_computation() -> None:
    graph = import_graph(_parse(ACCEPTED["forward reference"]))
    assert [(node.id, node.name) for node in graph.nodes()] == [(2, "a"), (3, "y"), (4, "x")]


def test_defaults_are_filled_in() -> None:
    graph = import_graph(_parse(_A + _node("MatMul", "a,a")))
    node = graph.find("x")
    assert node is not None
    assert node.attrs["transpose_a"] is False and node.attrs["T"] is dtypes.float32


def test_extend_takes_inputs_from_what_is_there() -> None:
    graph = import_graph(_parse(_A))
    new = extend(graph, _parse(_node("Add", "a,a,^a") + _node("Neg", "x", name="y")))
    assert [node.name for node in new] == ["x", "y"]
    assert text(graph).splitlines()[1:] == ["x = Add(a, a, ^a)", "y = Neg(x)"]
    assert_sound(graph)


def test_versions_of_what_is_added_are_merged() -> None:
    graph = import_graph(_parse("versions { producer: 100 min_consumer: 3 bad_consumers: 7 }" + _A))
    extend(graph, _parse("versions { producer: 90 min_consumer: 5 bad_consumers: [6, 7] }" + _B))
    extend(graph, _parse("versions { producer: 200 min_consumer: 1 }" + _I))
    assert (graph.versions.producer, graph.versions.min_consumer) == (90, 5)
    assert list(graph.versions.bad_consumers) == [6, 7]


@pytest.mark.parametrize(
    "late_fault",
    [
        _node("Neg", "x,x", name="y"),
        _node("Neg", "y", name="y"),
        _node("Foo", "a", name="y"),
        _A,
        'library { function { signature { name: "Neg" } } }',
        'library { function { signature { name: "F" is_stateful: true } } }',
    ],
)
def test_a_failed_extend_leaves_no_trace(late_fault: str) -> None:
    graph = import_graph(_parse(_A))
    before = to_graph_def(graph)
    graph_def = _parse('library { function { signature { name: "F" } } }')
    graph_def.MergeFrom(_parse(_node("Add", "a,a,^a") + late_fault))
    with pytest.raises(InvalidArgumentError):
        extend(graph, graph_def)
    assert to_graph_def(graph) == before and graph.num_edges == 0
    assert_sound(graph)
    extend(graph, _parse(_node("Add", "a,a")))


def test_partitions_may_have_the_systems_nodes() -> None:
    arg = 'node { name: "_arg_x_0_0" op: "_Arg" device: "/job:w/replica:0/task:0/device:CPU:0" %s }'
    attrs = _attr("T", "type: DT_FLOAT") + _attr("index", "i: 0")
    graph_def = _parse(arg % (attrs + _attr("_class", 'list { s: "loc:@elsewhere" }')))
    assert "invalid characters" in _refusal(graph_def)
    node = import_graph(graph_def, partition=True).find("_arg_x_0_0")
    assert node is not None
    assert node.assigned_device == "/job:w/replica:0/task:0/device:CPU:0"


def test_export_gives_back_what_was_imported() -> None:
    nodes = Nodes()
    nodes.const("c", [[1.0, 2.0]], device="/device:CPU:0")
    nodes.const("words", "text")
    nodes.const("axis", np.int32(0))
    nodes.add("Split", "s", ["axis", "c", "^words"], num_split=1, T=dtypes.float32)
    nodes.float_op("Pack", "p", "s", "c", N=2, axis=-1)
    nodes.float_op("Add", "sum", "p", "p", _note=b"x", _list=(1, 2), _class=(b"loc:@c",))
    function = nodes.graph_def.library.function.add()
    function.signature.name = "F"
    nodes.graph_def.library.gradient.add(function_name="F", gradient_func="G")
    nodes.graph_def.versions.min_consumer = 12
    assert to_graph_def(nodes.graph()) == nodes.graph_def


def test_tensorflow_reads_what_is_exported() -> None:
    source = _A + _P + _node("Add", "a,p", _attr("_x", "b: true"))
    graph_def = to_graph_def(import_graph(_parse(source)))
    assert oracle.import_error(graph_def) is None


def test_a_deep_graph_in_any_order() -> None:
    nodes = Nodes()
    nodes.const("n0", 1.0)
    for index in range(1, 20_000):
        nodes.float_op("Neg", f"n{index}", f"n{index - 1}")
    backwards = GraphDef(versions=nodes.graph_def.versions, node=reversed(nodes.graph_def.node))
    graph = import_graph(backwards)
    assert [node.name for node in graph.nodes()] == [f"n{index}" for index in range(20_000)]
    del backwards.node[-1]
    assert "Unknown input node 'n0'" in _refusal(backwards)


def _valid_graph() -> GraphDef:
    nodes = Nodes()
    nodes.const("a", [1.0, 2.0])
    nodes.placeholder("p", device="/device:CPU:0")
    nodes.const("axis", np.int32(0))
    nodes.float_op("Add", "x", "a", "p", "^axis")
    nodes.add("Split", "s", ["axis", "x"], num_split=2, T=dtypes.float32)
    nodes.float_op("Pack", "k", "s", "s:1", N=2, axis=0, _class=(b"loc:@a",))
    nodes.float_op("MatMul", "m", "k", "k", transpose_a=True)
    function = nodes.graph_def.library.function.add()
    function.signature.name = "F"
    function.signature.attr.add(name="N", type="int", has_minimum=True, minimum=1)
    function.signature.input_arg.add(name="x", type=1, number_attr="N")
    node = nodes.graph_def.node.add(name="f", op="F", input=["a"])
    node.attr["N"].i = 1
    return nodes.graph_def


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_mutated_bytes_are_refused_or_read(data: st.DataObject) -> None:
    content = bytearray(_valid_graph().SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(["change", "drop", "insert"]))
        if how == "change":
            content[place] = data.draw(st.integers(0, 255))
        elif how == "drop":
            del content[place : place + data.draw(st.integers(1, 8))]
        else:
            content[place:place] = data.draw(st.binary(min_size=1, max_size=8))
    try:
        graph_def = GraphDef.FromString(bytes(content))
    except Exception as error:
        assert type(error).__name__ == "DecodeError"
        return
    _read_or_refuse(graph_def)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_nodes_are_refused_or_read(data: st.DataObject) -> None:
    graph_def = _valid_graph()
    for _ in range(data.draw(st.integers(1, 5))):
        node = data.draw(st.sampled_from(list(graph_def.node)))
        other = data.draw(st.sampled_from(list(graph_def.node)))
        match data.draw(st.sampled_from(["op", "name", "input", "cut", "attr", "swap", "number"])):
            case "op":
                node.op = data.draw(st.sampled_from([other.op, "_Arg", "Enter", "", "Assign"]))
            case "name":
                node.name = data.draw(st.sampled_from([other.name, "", "q", "_q"]))
            case "input":
                slot = data.draw(st.sampled_from(["", ":0", ":1", ":-1", ":9999999999"]))
                mark = data.draw(st.sampled_from(["", "^"]))
                node.input.append(mark + other.name + slot)
            case "cut" if node.input:
                del node.input[data.draw(st.integers(0, len(node.input) - 1))]
            case "attr" if node.attr:
                del node.attr[data.draw(st.sampled_from(sorted(node.attr)))]
            case "swap" if other.attr:
                key = data.draw(st.sampled_from(sorted(other.attr)))
                target = data.draw(st.sampled_from([key, "T", "N", "value", "dtype", "shape"]))
                node.attr[target].CopyFrom(other.attr[key])
            case _:
                node.attr["N"].i = data.draw(st.integers(-(2**63), 2**63 - 1))
    _read_or_refuse(graph_def)


def _read_or_refuse(graph_def: GraphDef) -> None:
    graph = NodeGraph()
    try:
        extend(graph, graph_def)
    except InvalidArgumentError as error:
        assert error.message
        assert len(graph) == 0
    else:
        assert_sound(graph)
        assert names(graph) == {node.name for node in graph_def.node}
        to_graph_def(graph)
