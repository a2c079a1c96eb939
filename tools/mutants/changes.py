"""The small faults, called mutants, that can be made in the source of one file."""

from __future__ import annotations

import ast
import copy
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("dataflow", "actors", "kernels")
"""The folders that hold the library; those below them are its rooms."""

_GENERATED = "_pb2.py"
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_SWAPPED: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}
_OPPOSITE: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_SAID = {"debug", "info", "warning", "error", "exception", "log", "warn", "print"}
"""Calls that only tell somebody something."""


@dataclass(frozen=True)
class Mutant:
    """One change of the bytes from `start` to `end` of a file."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str
    within: str
    """The function or class it lies in, empty for the module itself."""
    shown: tuple[int, ...]
    """Where the functions begin whose calls show the change; empty: where it is, there it shows."""
    statement: bool
    """Whether it takes the place of a statement, not of an expression."""

    @property
    def room(self) -> str:
        """The folder of the file."""
        return str(Path(self.file).parent)

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.file}:{self.line} {self.kind}"

    def apply(self, source: bytes) -> bytes:
        """The source with the change in it."""
        return source[: self.start] + self.new.encode() + source[self.end :]


class Source:
    """A file's syntax tree, and where its lines begin."""

    def __init__(self, root: Path, file: str) -> None:
        self.file = file
        self.bytes = (root / file).read_bytes()
        self.tree = ast.parse(self.bytes)
        self._lines = [0]
        for line in self.bytes.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Offset of a node's first byte."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Offset behind a node's last byte."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def line(self, offset: int) -> int:
        """Number of the line with this byte."""
        return bisect_right(self._lines, offset)

    def entries(self) -> tuple[int, ...]:
        """Where the statements of each function begin."""
        functions = (n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))
        return tuple(entry for f in functions if (entry := self.entry(f)) is not None)

    def entry(self, function: ast.FunctionDef) -> int | None:
        """Where the statements of a function begin, None if they stand beside its name."""
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if not body or body[0].lineno == function.lineno or _is_ellipsis(body[0]):
            return None
        first = body[0]
        decorators = getattr(first, "decorator_list", [])
        if decorators:
            return self.start(decorators[0]) - 1
        return self.start(first)


def mutants_of(source: Source) -> list[Mutant]:
    """All mutants of one file."""
    return list(_Finder(source).all())


def sources(root: Path, without: tuple[str, ...]) -> list[Source]:
    """The library's files, less those whose path begins with one of `without`."""
    paths = sorted(p.relative_to(root) for room in ROOMS for p in (root / room).rglob("*.py"))
    names = (str(path) for path in paths if not path.name.endswith(_GENERATED))
    # What the two links lead to is one of the other folders.
    linked = tuple(f"dataflow/{room}/" for room in ROOMS)
    return [Source(root, name) for name in names if not name.startswith((*without, *linked))]


def sample(candidates: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Mutants of which every room has one, and the rest are shared out by the rooms' sizes.

    Each is drawn by its kind first: constants are many. No two change the same bytes.
    """
    generator = random.Random(seed)
    rooms: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in candidates:
        rooms[mutant.room].append(mutant)
    first = sorted(rooms)
    generator.shuffle(first)
    others = generator.choices(sorted(rooms), [len(rooms[r]) for r in sorted(rooms)], k=count)
    taken: list[Mutant] = []
    for room in [*first, *others][:count]:
        kinds: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in rooms[room]:
            if not any(_overlap(mutant, other) for other in taken):
                kinds[mutant.kind].append(mutant)
        if kinds:
            taken.append(generator.choice(kinds[generator.choice(sorted(kinds))]))
    return sorted(taken, key=lambda m: (m.file, m.start))


def _overlap(one: Mutant, other: Mutant) -> bool:
    return one.file == other.file and one.start < other.end and other.start < one.end


def _is_declaration(node: ast.FunctionDef) -> bool:
    names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
    return bool(names & {"overload", "abstractmethod"})


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class _Finder:
    """Walks over what runs: no annotations, texts, log calls, nor what only type checkers read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._entries = source.entries()
        self._within = ""
        self._shown = self._entries

    def all(self) -> Iterator[Mutant]:
        """Mutants of the whole file."""
        yield from self._body(self._source.tree.body)

    def _body(self, body: list[ast.stmt]) -> Iterator[Mutant]:
        for statement in body:
            yield from self._statement(statement)

    def _statement(self, node: ast.stmt) -> Iterator[Mutant]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from self._definition(node)
            return
        if _is_for_others(node):
            return
        if isinstance(node, ast.Return):
            yield from self._return(node)
        elif isinstance(node, ast.Raise):
            yield self._change(node, "error not raised", "pass")
            return
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and self._within:
            yield self._change(node, "call dropped", "pass")
        elif isinstance(node, ast.If):
            yield self._change(node.test, "branch dropped", "False")
            yield self._change(node.test, "branch always taken", "True")
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.stmt):
                    yield from self._statement(child)
                elif isinstance(child, ast.ExceptHandler):
                    yield from self._body(child.body)
                elif isinstance(child, ast.withitem):
                    yield from self._expression(child.context_expr)
                elif isinstance(child, ast.expr):
                    yield from self._expression(child)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> Iterator[Mutant]:
        within, shown = self._within, self._shown
        self._within = f"{within}.{node.name}" if within else node.name
        if isinstance(node, ast.ClassDef):
            if not any(isinstance(b, ast.Name) and b.id == "Protocol" for b in node.bases):
                yield from self._body(node.body)
        elif isinstance(node, ast.FunctionDef) and not _is_declaration(node):
            entry = self._source.entry(node)
            if entry is not None:
                self._shown = (entry,)
                yield from self._defaults(node.args)
                self._shown = ()
                yield from self._body(node.body)
        self._within, self._shown = within, shown

    def _defaults(self, arguments: ast.arguments) -> Iterator[Mutant]:
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if isinstance(default, ast.Constant) and isinstance(default.value, bool | int):
                yield self._change(default, "default changed", _other_constant(default.value))

    def _return(self, node: ast.Return) -> Iterator[Mutant]:
        if node.value is None:
            yield self._change(node, "early return dropped", "pass")
        elif not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield self._change(node.value, "None returned", "None")

    def _expression(self, node: ast.expr) -> Iterator[Mutant]:
        if isinstance(node, ast.JoinedStr | ast.Lambda | ast.NamedExpr) or _is_type(node):
            if isinstance(node, ast.Lambda | ast.NamedExpr):
                yield from self._expression(
                    node.body if isinstance(node, ast.Lambda) else node.value
                )
            return
        for kind, new in _replacements(node):
            yield self._change(node, kind, new)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                if child.arg not in ("doc", "strict"):
                    yield from self._expression(child.value)
            elif isinstance(child, ast.comprehension):
                for part in (child.iter, *child.ifs):
                    yield from self._expression(part)
            elif isinstance(child, ast.expr):
                yield from self._expression(child)

    def _change(self, node: ast.expr | ast.stmt, kind: str, new: str) -> Mutant:
        source = self._source
        start, end = source.start(node), source.end(node)
        return Mutant(
            file=source.file,
            line=source.line(start),
            kind=kind,
            start=start,
            end=end,
            old=source.bytes[start:end].decode(),
            new=new,
            within=self._within,
            shown=self._shown,
            statement=isinstance(node, ast.stmt),
        )


def _replacements(node: ast.expr) -> Iterator[tuple[str, str]]:
    """(kind, text) of what an expression may be replaced by."""
    if isinstance(node, ast.Compare):
        for kind, table in (("comparison turned", _TURNED), ("bound moved", _MOVED)):
            for index, operator in enumerate(node.ops):
                if type(operator) in table:
                    other = copy.deepcopy(node)
                    other.ops[index] = table[type(operator)]()
                    yield kind, f"({ast.unparse(other)})"
    elif isinstance(node, ast.BoolOp):
        swapped = copy.deepcopy(node)
        swapped.op = _SWAPPED[type(node.op)]()
        yield "and, or swapped", f"({ast.unparse(swapped)})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPPOSITE:
        if not any(isinstance(n, ast.JoinedStr) or _is_text(n) for n in ast.walk(node)):
            turned = copy.deepcopy(node)
            turned.op = _OPPOSITE[type(node.op)]()
            yield "sum turned", f"({ast.unparse(turned)})"
    elif isinstance(node, ast.IfExp):
        yield "branch dropped", f"({ast.unparse(node.orelse)})"
        yield "branch always taken", f"({ast.unparse(node.body)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
        kind = "boolean negated" if isinstance(node.value, bool) else "constant off by one"
        yield kind, _other_constant(node.value)


def _other_constant(value: bool | int) -> str:
    return str(not value) if isinstance(value, bool) else f"({value + 1})"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _is_type(node: ast.expr) -> bool:
    """Whether this is a type that is written as an expression."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("cast", "TypeVar", "ParamSpec")
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("Literal", "Callable", "Annotated")
    )


def _is_for_others(node: ast.stmt) -> bool:
    """Whether a statement is for readers: an assertion, a log call, an import for type checkers."""
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom | ast.Match):
        return True
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return isinstance(called, ast.Attribute) and called.attr in _SAID
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    return False
