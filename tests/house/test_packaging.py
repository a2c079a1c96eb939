"""Wheel, sdist, editable install and a bare checkout hold and import the same modules."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import ROOT, imports, package_sources

# Not what is compiled: it is as new as its source, here and in a copy.
_IGNORED = shutil.ignore_patterns(
    ".git", ".venv", "venv", "build", "dist", "*.egg-info", ".*_cache", ".hypothesis"
)

_ON_GPU_ONLY = ("dataflow.kernels.gpu.", "dataflow.actors.devices.gpu")
_REFUSES = "dataflow.compat.v2"


def _modules(checkout: Path) -> set[str]:
    """Import names of every module of a tree."""
    return {source.module for source in package_sources(checkout)}


def _expected_files(checkout: Path) -> set[str]:
    """What the wheel of a tree must hold: `actors/x.py` is `dataflow/actors/x.py` there."""
    package = checkout / "dataflow"
    files = [source.path for source in package_sources(checkout)]
    files += [*package.glob("proto/*.proto"), *package.glob("*/*.pyi"), package / "py.typed"]
    names = [path.relative_to(checkout).as_posix() for path in files]
    return {name if name.startswith("dataflow/") else f"dataflow/{name}" for name in names}


def _run(command: list[str], cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"{command[:2]} failed\n{done.stdout}\n{done.stderr}", pytrace=False)
    return done.stdout


def _build(kind: str, source: Path, out: Path) -> Path:
    """Build "wheel" or "sdist" from a source tree; nothing is downloaded."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(out)]
    _run([*command, str(source)], cwd=source)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, so that builds leave nothing in the real one."""
    copy = tmp_path_factory.mktemp("checkout") / "dataflow-ray"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=_IGNORED)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built of what the sdist holds: what is missing there is missing here."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(_build("sdist", checkout, folder / "sdist")) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return _build("wheel", unpacked, folder / "out")


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """The python of a fresh environment that sees the dependencies installed here."""
    home = tmp_path / "venv"
    _run([sys.executable, "-m", "venv", "--without-pip", str(home)], cwd=tmp_path)
    python = home / "bin" / "python"
    purelib = _run([str(python), "-c", _PURELIB], cwd=tmp_path).strip()
    # A plain path line: the .pth files in that folder, an editable install of ours among them,
    # are not processed.
    Path(purelib, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    yield python
    shutil.rmtree(home)


_PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"


def _install(python: Path, *what: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run([*pip, "--no-deps", "--no-index", "--no-build-isolation", *what], cwd=python.parent)


def _import_everything(python: Path, cwd: Path, checkout: Path) -> dict[str, Path]:
    """Import every module of a tree that can be without a GPU; module -> file."""
    left_out = (*_ON_GPU_ONLY, _REFUSES)
    wanted = sorted(name for name in _modules(checkout) if not name.startswith(left_out))
    script = (
        "import importlib, sys\n"
        f"for name in {wanted!r}:\n"
        "    print(name, importlib.import_module(name).__file__)\n"
    )
    lines = _run([str(python), "-W", "ignore", "-c", script], cwd=cwd).splitlines()
    found = {name: Path(file) for name, file in (line.split(" ", 1) for line in lines)}
    assert set(found) == set(wanted)
    return found


def _listed_packages() -> list[str]:
    """`packages` of pyproject.toml (there is no tomllib on Python 3.10)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    match = re.search(r"^packages = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert match
    return re.findall(r'"([^"]+)"', match[1])


def test_every_package_is_listed() -> None:
    packages = sorted(source.module for source in package_sources() if source.is_package)
    assert _listed_packages() == packages, "[tool.setuptools] packages of pyproject.toml"


def test_every_folder_of_sources_is_a_package() -> None:
    folders = {source.path.parent for source in package_sources()}
    without = [str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()]
    assert not without, f"no __init__.py: {without}"


def test_wheel_holds_the_tree(wheel: Path, checkout: Path) -> None:
    assert wheel.name.startswith("dataflow_ray-")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        metadata = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
        assert all(archive.read(name) == (checkout / name).read_bytes() for name in names)
    assert len(names) == len(set(names))
    assert set(names) == _expected_files(checkout)
    assert "\nName: dataflow-ray\n" in text
    assert "\nLicense-Expression: Apache-2.0\n" in text
    assert "tensorflow" not in "".join(
        line
        for line in text.splitlines()
        if line.startswith("Requires-Dist") and "extra" not in line
    )


def test_wheel_imports(environment: Path, wheel: Path, checkout: Path, tmp_path: Path) -> None:
    _install(environment, str(wheel))
    found = _import_everything(environment, tmp_path, checkout)
    outside = {name: str(file) for name, file in found.items() if tmp_path not in file.parents}
    assert not outside
    bare = [str(environment), "-c", "import actors"]
    done = subprocess.run(bare, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No module named 'actors'" in done.stderr


def test_editable_install_imports(environment: Path, checkout: Path, tmp_path: Path) -> None:
    _install(environment, "--editable", str(checkout))
    found = _import_everything(environment, tmp_path, checkout)
    assert all(checkout in file.parents for file in found.values())
    fresh = checkout / "kernels" / "ops" / "fresh_kernel.py"
    fresh.write_text('"""A kernel file made after the install."""\n')
    try:
        _run([str(environment), "-c", "import dataflow.kernels.ops.fresh_kernel"], cwd=tmp_path)
    finally:
        fresh.unlink()
    bare = [str(environment), "-c", "import kernels"]
    done = subprocess.run(bare, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No module named 'kernels'" in done.stderr


def test_uninstalled_checkout_imports(environment: Path, checkout: Path) -> None:
    found = _import_everything(environment, checkout, checkout)
    assert all(checkout in file.parents for file in found.values())


@pytest.mark.parametrize("name", ["actors", "kernels"])
def test_bare_name_is_refused(checkout: Path, name: str) -> None:
    bare = [sys.executable, "-c", f"import {name}"]
    done = subprocess.run(bare, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    message = done.stderr.strip().splitlines()[-1]
    assert message.startswith("ImportError: ")
    assert f"imported as '{name}' but its name is 'dataflow.{name}'" in message
    assert f"use `import dataflow.{name}`" in message


def test_only_the_ray_modules_need_ray(checkout: Path, environment: Path) -> None:
    sources = package_sources()  # Those of which `checkout` is a copy, which others have read.
    known = {source.module for source in sources}
    on_ray = {s.module for s in sources if any(i.module == "ray" for i in imports(s, known))}
    skipped = (*_ON_GPU_ONLY, _REFUSES, "dataflow.actors.ray")
    names = sorted(name for name in known - on_ray if not name.startswith(skipped))
    script = (
        "import importlib, sys\n"
        "sys.modules['ray'] = None\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name)\n"
    )
    _run([str(environment), "-W", "ignore", "-c", script], cwd=checkout)


def test_in_process_session_needs_no_ray(checkout: Path, environment: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['ray'] = None\n"
        "import dataflow as tf\n"
        "with tf.Session() as session:\n"
        "    print(session.run(tf.constant(2.0) * 3.0))\n"
    )
    assert _run([str(environment), "-c", script], cwd=checkout).strip() == "6.0"


@pytest.mark.parametrize(
    "program", ["tf.Session('ray')", "tf.train.Server({'worker': ['localhost:0']})"]
)
def test_what_needs_ray_says_so(program: str, checkout: Path, environment: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['ray'] = None\n"
        "import dataflow as tf\n"
        "try:\n"
        f"    {program}\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    said = _run([str(environment), "-c", script], cwd=checkout)
    assert "needs Ray, which is not installed: pip install 'ray" in said
