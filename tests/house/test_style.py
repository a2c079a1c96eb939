"""House rules that ruff does not know."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.house.tree import ROOT, other_sources, package_sources

_INSTALLED = [source for source in package_sources() if not source.generated]
_ALL = _INSTALLED + [source for source in other_sources() if source.path.name != "test_style.py"]

# Each rule: what is wrong, and the text that shows it.
_FORBIDDEN = {
    "unfinished work": r"\b(TODO|FIXME|XXX|HACK)\b",
    "a banner": r"^\s*#\s*[-=*#~]{4,}",
    "a path of somebody's machine": r"/tmp/brief|/work/|/home/(?!ubuntu/dataflow)\w+/|/root/",
    "a note that is not in the repository": r"tf-semantics|ray-facilities|design\.md|\bT[12]\.\d",
    "how the text was made": r"\b(Claude|Anthropic|OpenAI|ChatGPT|LLM|prompts?|subagents?)\b",
}

_ANY_FORBIDDEN = re.compile("|".join(_FORBIDDEN.values()), re.MULTILINE)

_SKIPS = re.compile(
    r"\b(importorskip|xfail|pytest\.skip|mark\.skip(if)?|skipTest|unittest\.skip)\b"
)
"""A test that may not run proves nothing; only a GPU may be missing."""


_SAYS_ITS_JOB = re.compile(r'(\s|#.*\n)*r?"""\s*[^\s"]')


def faults(name: str, text: str) -> list[str]:
    """Forbidden text of a file, as "file:line: what"."""
    if not _ANY_FORBIDDEN.search(text):
        return []
    return [
        f"{name}:{number}: {what}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in _FORBIDDEN.items()
        if re.search(pattern, line)
    ]


def test_every_file_says_its_job() -> None:
    files = [source for source in _ALL if source.text.strip()]
    missing = [source.name for source in files if not _SAYS_ITS_JOB.match(source.text)]
    assert not missing, f"no docstring: {', '.join(missing)}"


def test_no_grab_bag_modules() -> None:
    bags = re.compile(r"(^|_)(utils?|helpers?|misc|common)$")
    # The names of that kind that are TensorFlow's own.
    allowed = {
        "graph_util",
        "test_graph_util",
        "signature_def_utils",
        "resnet_utils",
        "imagenet_utils",
        "input_fn_utils",
        "saved_model_export_utils",
    }
    faces = {
        "dataflow/contrib/layers/utils.py",
        "dataflow/keras/utils.py",
        "dataflow/saved_model/utils.py",
    }
    stems = {source.name: source.path.stem for source in _ALL}
    named = [
        n
        for n, stem in stems.items()
        if bags.search(stem) and stem not in allowed and n not in faces
    ]
    assert not named, f"name the job instead: {', '.join(named)}"


def test_nothing_forbidden() -> None:
    found = [fault for source in _ALL for fault in faults(source.name, source.text)]
    for pattern in ("*.md", "*.yaml", "*.toml", "Makefile", ".ci/run", "dataflow/proto/*.proto"):
        for path in sorted(ROOT.glob(pattern)):
            found += faults(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "line",
    ["x = 1  # TODO later", "# --------", "see /work/main", "# T1.4 says", "an LLM wrote it"],
)
def test_forbidden_text_is_found(line: str) -> None:
    (fault,) = faults("a.py", f"ok = 1\n{line}\n")
    assert fault.startswith("a.py:2: ")


def test_stars_show_themes() -> None:
    """Ruff finds all others."""
    text = (ROOT / "dataflow/__init__.py").read_text(encoding="utf-8")
    stars = re.findall(r"^\s*from (\S+) import \*", text, re.MULTILINE)
    assert stars and all(name.startswith("dataflow.names.") for name in stars)


def test_tests_always_run() -> None:
    skipping = [
        f"{source.name}:{number}: {line.strip()}"
        for source in _ALL
        if source.name.startswith("tests/") and not source.name.startswith("tests/gpu/")
        if _SKIPS.search(source.text)
        for number, line in enumerate(source.text.splitlines(), 1)
        if _SKIPS.search(line) and source.name != "tests/conftest.py"
    ]
    assert not skipping, "\n" + "\n".join(skipping)


def test_generated_code_is_what_make_proto_makes() -> None:
    """Every .proto has its module and stub, and no generated file has lost its .proto."""
    folder = ROOT / "dataflow" / "proto"
    protos = {path.stem for path in folder.glob("*.proto")}
    assert protos
    assert {path.stem.removesuffix("_pb2") for path in folder.glob("*_pb2.py")} == protos
    assert {path.stem.removesuffix("_pb2") for path in folder.glob("*_pb2.pyi")} == protos


def test_links_serve_an_uninstalled_checkout() -> None:
    for name in ("actors", "kernels"):
        link = ROOT / "dataflow" / name
        assert link.is_symlink(), f"dataflow/{name} must be a symlink to ../{name}"
        assert link.readlink().as_posix() == f"../{name}"


def test_shell_script_parses() -> None:
    subprocess.run(["bash", "-n", ".ci/run"], cwd=ROOT, check=True)
