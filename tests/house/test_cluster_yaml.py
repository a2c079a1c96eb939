"""cluster.yaml is what Ray's cluster launcher accepts, and installs this project."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray.autoscaler
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

from tests.house.tree import ROOT


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((ROOT / "cluster.yaml").read_text(encoding="utf-8"))
    return config


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    path = Path(ray.autoscaler.__file__).with_name("ray-schema.json")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def test_matches_the_schema_of_ray(config: dict[str, Any], schema: dict[str, Any]) -> None:
    jsonschema.validate(config, schema)
    broken = copy.deepcopy(config)
    broken["available_node_types"]["cpu_worker"]["gpus"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_launcher_accepts_it_with_its_defaults(config: dict[str, Any]) -> None:
    prepared = prepare_config(copy.deepcopy(config))
    validate_config(prepared)
    broken = copy.deepcopy(prepared)
    broken["head_node_type"] = "nobody"
    with pytest.raises(ValueError, match="head_node_type"):
        validate_config(broken)


def test_has_a_head_and_both_kinds_of_worker(config: dict[str, Any]) -> None:
    types = config["available_node_types"]
    assert config["head_node_type"] == "head"
    assert types["head"]["max_workers"] == 0
    assert types["cpu_worker"]["min_workers"] >= 1
    assert types["gpu_worker"]["max_workers"] >= 1
    workers = sum(node["max_workers"] for node in types.values())
    assert workers <= config["max_workers"]


def test_every_kind_of_node_installs_this_checkout(config: dict[str, Any]) -> None:
    (remote,) = (path for path, local in config["file_mounts"].items() if local == ".")
    assert remote == "/home/ubuntu/dataflow"
    gpu = config["available_node_types"]["gpu_worker"]["worker_setup_commands"]
    for commands, package in ((config["setup_commands"], ""), (gpu, "[cuda12]")):
        assert any(f'pip install --upgrade "$HOME/dataflow{package}"' in c for c in commands)
    starts = config["head_start_ray_commands"] + config["worker_start_ray_commands"]
    assert all("~/dataflow-env/bin/ray" in command for command in starts)
