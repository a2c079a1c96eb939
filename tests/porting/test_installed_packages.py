"""What setuptools and Python told programs of packages and versions is told where it is gone."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

from dataflow.porting.former import installed_packages as packages
from dataflow.porting.former.loose_versions import LooseVersion, StrictVersion
from tests.porting.test_run import PROGRAMS, run


def test_a_program_that_asks() -> None:
    done = run("run", str(PROGRAMS / "installed_packages.py"))
    assert done.returncode == 0, done.stderr
    start = (PROGRAMS / "former_names.py").read_bytes()[:3]
    assert done.stdout.splitlines() == [np.__version__, "numpy", "former_names.py", str(start)]


def test_packages_are_those_that_are_installed() -> None:
    found = packages.get_distribution("NumPy >= 1.20, != 1.21")
    assert (found.project_name, found.version) == ("numpy", importlib.metadata.version("numpy"))
    assert str(found) == f"numpy {np.__version__}"
    assert found.parsed_version == Version(np.__version__)
    assert Path(found.location) == Path(np.__file__).parent.parent
    assert found.has_metadata("METADATA")
    assert not found.has_metadata("nothing")
    assert found.get_metadata("METADATA").startswith("Metadata-Version")
    with pytest.raises(FileNotFoundError, match=r"numpy has no metadata called 'nothing'"):
        found.get_metadata("nothing")
    with pytest.raises(packages.DistributionNotFound, match="'no-such-thing' distribution"):
        packages.require("numpy", "no-such-thing")
    with pytest.raises(packages.VersionConflict, match=r"numpy .* but numpy<1,>0 is required"):
        packages.get_distribution("numpy<1,>0")
    with pytest.raises(packages.ResolutionError):
        packages.get_distribution(f"numpy!={np.__version__}")
    scripts = {one.name for one in packages.iter_entry_points("console_scripts")}
    assert {"pytest", "dataflow"} <= scripts
    (one,) = packages.iter_entry_points("console_scripts", "pytest")
    assert one.load().__module__ == "_pytest.config"


def test_files_beside_the_code() -> None:
    package = "dataflow.porting.former"
    here = Path(packages.__file__)
    assert packages.resource_filename(package, here.name) == str(here)
    assert packages.resource_string(package, here.name) == here.read_bytes()
    with packages.resource_stream(package, here.name) as stream:
        assert stream.read(3) == b'"""'
    assert packages.resource_exists(package, here.name)
    assert not packages.resource_exists(package, "nothing.py")
    assert packages.resource_isdir("dataflow.porting", "former")
    assert not packages.resource_isdir(package, here.name)
    assert here.name in packages.resource_listdir("dataflow.porting", "former")


def test_versions_compare_by_numbers_and_words() -> None:
    assert packages.parse_version("1.15.0rc1") < packages.parse_version("1.15")
    assert packages.parse_version("2.0.1-cuda.x-y z") > "2.0"  # Which PEP 440 does not know.
    assert LooseVersion("1.15.0").version == [1, 15, 0]
    assert LooseVersion("1.15.0rc1").version == [1, 15, 0, "rc", 1]
    assert LooseVersion("1.9") < LooseVersion("1.10") < "1.10.1"
    assert LooseVersion("1.15.0rc1") > "1.15.0"
    assert LooseVersion("1.0") == "1.0"
    assert LooseVersion("1.0") != LooseVersion("1.0.0")
    assert LooseVersion("1.0") != 1
    assert repr(LooseVersion("2.b")) == "LooseVersion ('2.b')"
    assert StrictVersion("1.2.0") == "1.2"
    assert StrictVersion("1.2a1") < StrictVersion("1.2a2") < "1.2b1" < StrictVersion("1.2")
    assert [str(StrictVersion(one)) for one in ("1.2.0", "1.2.3b4")] == ["1.2", "1.2.3b4"]
    for wrong in ("1", "1.2.3.4", "1.2c1", "1.2 "):
        with pytest.raises(ValueError, match=f"invalid version number '{wrong}'"):
            StrictVersion(wrong)
