"""Processes of a run share what there is to compile."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.compiled import compile_share


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("tests.compiled._TOGETHER", 2)
    found = tmp_path / "tests"
    found.mkdir()
    (found / "test_one.py").write_text("def test():\n    assert not 1\n")
    (found / "test_wrong.py").write_text("def test(:\n")
    return found


def compiled(module: Path) -> Path:
    return rewrite.get_cache_dir(module) / f"{module.stem}{rewrite.PYC_TAIL}"


def test_asserts_tell_what_they_compare(folder: Path, pytestconfig: pytest.Config) -> None:
    compile_share(pytestconfig, [str(folder)])
    module = folder / "test_one.py"
    code = rewrite._read_pyc(module, compiled(module))
    assert code is not None
    names: dict[str, object] = {}
    exec(code, names)
    test = names["test"]
    assert callable(test)
    with pytest.raises(AssertionError, match="assert not 1"):
        test()


def test_what_cannot_be_compiled_is_left(folder: Path, pytestconfig: pytest.Config) -> None:
    compile_share(pytestconfig, [str(folder)])
    assert not compiled(folder / "test_wrong.py").exists()


def test_what_one_process_has_taken_no_other_takes(
    folder: Path, pytestconfig: pytest.Config
) -> None:
    compile_share(pytestconfig, [str(folder)])
    compiled(folder / "test_one.py").unlink()
    compile_share(pytestconfig, [str(folder)])
    assert not compiled(folder / "test_one.py").exists()


def test_nothing_where_python_writes_nothing(
    folder: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    compile_share(pytestconfig, [str(folder)])
    assert not compiled(folder / "test_one.py").exists()


def test_few_modules_are_left(folder: Path, pytestconfig: pytest.Config) -> None:
    (folder / "test_wrong.py").unlink()
    compile_share(pytestconfig, [str(folder)])
    assert not compiled(folder / "test_one.py").exists()
