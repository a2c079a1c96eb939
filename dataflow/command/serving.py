"""The command that serves models: its options, and what it says."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from dataflow.command.told import told
from dataflow.errors import InvalidArgumentError
from dataflow.serving.config import read_batching
from dataflow.serving.options import (
    Limits,
    Loading,
    ModelSource,
    Policy,
    ServerOptions,
)

_LATEST = "latest"


@click.command("serve")
@click.argument("model", required=False)
@click.option("--model-name", "--model_name", default="default", help="Its name in requests.")
@click.option("--model-config-file", "--model_config_file", help="Several models, as text.")
@click.option(
    "--model-config-file-poll-wait-seconds",
    "--model_config_file_poll_wait_seconds",
    "config_poll",
    default=0.0,
    help="How often that file is read again; 0 for never.",
)
@click.option(
    "--versions", default=_LATEST, help="'latest', 'latest:N', 'all', or numbers between commas."
)
@click.option(
    "--host", default="127.0.0.1", help="Where it listens; 0.0.0.0 lets other machines ask."
)
@click.option(
    "--rest-api-port", "--rest_api_port", "--rest-port", "rest_port", default=8501, help="Of HTTP."
)
@click.option("--port", "--grpc-port", "grpc_port", default=8500, help="Of gRPC; -1 for none.")
@click.option(
    "--enable-batching", "--enable_batching", is_flag=True, help="Puts requests together."
)
@click.option("--batching-parameters-file", "--batching_parameters_file", help="How; as text.")
@click.option(
    "--file-system-poll-wait-seconds",
    "--file_system_poll_wait_seconds",
    "poll",
    default=1.0,
    type=click.FloatRange(0.01),
    help="How often versions are looked for.",
)
@click.option(
    "--rest-api-timeout-in-ms",
    "--rest_api_timeout_in_ms",
    "timeout",
    default=30000,
    type=click.IntRange(0),
    help="How long a request may take; 0 for any time.",
)
@click.option("--warm-up/--no-warm-up", default=True, help="Asks what the model itself lists.")
@click.option("--tags", default="serve", help="Tags of the graph, between commas.")
@click.option(
    "--allow-version-labels-for-unavailable-models",
    "--allow_version_labels_for_unavailable_models",
    "labels",
    is_flag=True,
    help="Lets a label name a version that is not loaded yet.",
)
@click.option(
    "--max-request-bytes", default=64 << 20, type=click.IntRange(1), help="Larger ones are refused."
)
@click.option(
    "--max-concurrent-requests", default=1024, type=click.IntRange(1), help="More are refused."
)
@click.option("--threads", default=0, type=click.IntRange(0), help="That run steps.")
@click.option("--grace-seconds", default=30.0, help="How long requests may take at the end.")
@click.option("--target", default="", type=click.Choice(["", "ray"]), help="'ray': replicas.")
@click.option("--replicas", default=1, type=click.IntRange(1), help="How many, with 'ray'.")
@click.option("--json", "as_json", is_flag=True, help="Says where it listens as JSON.")
@told
def serve_models(
    model: str | None,
    model_name: str,
    model_config_file: str | None,
    config_poll: float,
    versions: str,
    host: str,
    rest_port: int,
    grpc_port: int,
    enable_batching: bool,
    batching_parameters_file: str | None,
    poll: float,
    timeout: int,
    warm_up: bool,
    tags: str,
    labels: bool,
    max_request_bytes: int,
    max_concurrent_requests: int,
    threads: int,
    grace_seconds: float,
    target: str,
    replicas: int,
    as_json: bool,
) -> None:
    """Serves SavedModels by HTTP and gRPC, as TensorFlow Serving does.

    MODEL is a SavedModel, or a folder with one for each version, named by its number. New versions
    are loaded while it serves; it ends in order on SIGTERM. Only this machine can ask unless --host
    says so.

    \b
    Examples: python -m dataflow serve models/digits --model-name digits
              curl -d '{"instances": [[1.0, 2.0]]}' localhost:8501/v1/models/digits:predict
    """
    if (model is None) == (model_config_file is None):
        raise click.UsageError("give MODEL or --model-config-file")
    if batching_parameters_file and not enable_batching:
        raise click.UsageError("--batching-parameters-file needs --enable-batching")
    batching = None
    if enable_batching:
        batching = read_batching(batching_parameters_file or "", threads or os.cpu_count() or 1)
    models: tuple[ModelSource, ...] = ()
    if model is not None:
        models = (ModelSource(model_name, os.path.abspath(model), _policy(versions)),)
    options = ServerOptions(
        models,
        os.path.abspath(model_config_file) if model_config_file else "",
        config_poll,
        host,
        rest_port if rest_port >= 0 else None,
        grpc_port if grpc_port >= 0 else None,
        batching,
        Loading(
            poll,
            warm_up=warm_up,
            tags=tuple(tags.split(",")),
            labels_for_unavailable=labels,
        ),
        Limits(max_request_bytes, max_concurrent_requests, timeout / 1000, threads, grace_seconds),
    )
    _run(options, target, replicas, as_json)


def _policy(text: str) -> Policy:
    kind, _, count = text.partition(":")
    try:
        if kind == _LATEST:
            policy = Policy(latest=int(count or 1))
        elif text == "all":
            policy = Policy(all=True)
        else:
            policy = Policy(specific=tuple(int(each) for each in text.split(",")))
    except ValueError:
        policy = Policy(latest=0)
    if policy.latest < 1:
        raise InvalidArgumentError(
            None, None, f"--versions {text}: it is latest, latest:N, all, or numbers"
        )
    return policy


def _run(options: ServerOptions, target: str, replicas: int, as_json: bool) -> None:
    from dataflow.serving.server import serve

    def opened(server: Any) -> None:
        ports = {"rest": server.rest_port, "grpc": server.grpc_port}
        there = {name: port for name, port in ports.items() if port is not None}
        if as_json:
            click.echo(json.dumps({"host": options.host, **there}))
        else:
            told = ", ".join(f"{name} on {options.host}:{port}" for name, port in there.items())
            click.echo(f"serving: {told}")

    if target:
        from dataflow.serving.replicas import ReplicaBackend

        serve(options, opened, lambda: ReplicaBackend(options, replicas))
    else:
        serve(options, opened)
