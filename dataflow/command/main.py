"""The commands: `python -m dataflow`, or `dataflow` where the package is installed."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dataflow.command import text
from dataflow.command.bench import bench as bench_model
from dataflow.command.converting import TARGETS, Conversion
from dataflow.command.converting import convert as convert_model
from dataflow.command.inspection import inspect as inspect_file
from dataflow.command.models import model_of, open_model
from dataflow.command.recognition import PROGRAM, WEIGHTS, Recognized, recognize
from dataflow.command.running import Call, devices_of, run_model, write_values
from dataflow.command.serving import serve_models
from dataflow.command.told import told
from dataflow.errors import NotFoundError
from dataflow.importing.files import write_graph
from dataflow.porting.command import check_program, run_program
from dataflow.transforms.transform_graph import TransformGraph

_TAGS = "Tags of the graph of a SavedModel, between commas; 'serve', or the only ones."
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one object of JSON.")


@click.group()
def main() -> None:
    """Looks into models, runs, converts, times and serves them; runs TensorFlow 1 programs."""


@main.command("inspect")
@click.argument("file")
@click.option("--tags", help=_TAGS)
@_JSON
@told
def inspect(file: str, tags: str | None, as_json: bool) -> None:
    """Says what is in FILE.

    FILE is a SavedModel's folder, a graph (binary or text), a MetaGraph, a checkpoint, safetensors,
    npz or HDF5: what is in it decides. Shown are inputs, outputs, signatures, ops, parameters, and
    what does not run here, and why.

    Example: python -m dataflow inspect exported/
    """
    report = inspect_file(file, _tags(tags))
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(report), indent=1))
    else:
        click.echo("\n".join(text.of_report(report)))


def _tags(given: str | None) -> tuple[str, ...] | None:
    return tuple(given.split(",")) if given else None


def _of_a_call(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say what of a model is run, and where."""
    for option in (
        click.option("--target", default="", help="'ray' runs it on a cluster."),
        click.option("--tags", help=_TAGS),
        click.option("--signature", help="The signature; by default serving_default."),
        click.option("--fetch", multiple=True, metavar="NAME", help="An output; by default all."),
        click.option(
            "--feed",
            multiple=True,
            metavar="NAME=VALUE",
            help="An input: a Python literal, or @FILE.npy.",
        ),
    ):
        command = option(command)
    return command


class _Run(click.Command):
    """Options of a model may stand behind it; what stands behind a program is the program's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses as click does, but for arguments of a program."""
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        file = given.get("file")
        if isinstance(file, str) and not given.get("module"):
            ctx.obj = _recognized(file)
            ctx.allow_interspersed_args = ctx.obj.kind != PROGRAM
        return super().parse_args(ctx, args)


@main.command(cls=_Run, context_settings={"allow_interspersed_args": False})
@click.option("-m", "--module", is_flag=True, help="FILE is the name of a module.")
@click.argument("file")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@_of_a_call
@click.option("--repeat", default=1, type=click.IntRange(1), help="How often it runs.")
@click.option("--out", help="A file for the values: npz, or npy for one.")
@_JSON
@click.pass_context
def run(
    context: click.Context, /, file: str, arguments: tuple[str, ...], module: bool, **options: Any
) -> None:
    """Runs a model, or a program where `import tensorflow` means dataflow.

    What is in FILE decides. A program is a file or a folder with a __main__.py, and ARGUMENTS are
    its own. The options are those of a model; names are of its signature, or of tensors: "y:0".

    \b
    Examples: python -m dataflow run train.py --steps 100
              python -m dataflow run exported/ --feed x=@x.npy --fetch scores --out scores.npz
    """
    if not module and context.obj.kind != PROGRAM:
        if arguments:
            raise click.UsageError(f"Got unexpected extra argument ({arguments[0]})")
        _run_model(context.obj, **options)
        return
    for name in options:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('as_', '')} is for models; {file} is none")
    run_program(file, arguments, module)


@told
def _recognized(file: str) -> Recognized:
    if Path(file).suffix == ".py" and Path(file).is_file():
        return Recognized(PROGRAM, file)
    try:
        return recognize(file)
    except NotFoundError as error:
        raise click.BadParameter(error.message, param_hint="FILE") from None


@told
def _run_model(
    found: Recognized,
    feed: tuple[str, ...],
    fetch: tuple[str, ...],
    signature: str | None,
    tags: str | None,
    target: str,
    repeat: int,
    out: str | None,
    as_json: bool,
) -> None:
    call = Call(feed, fetch, signature, target, repeat)
    outcome = run_model(model_of(found, _tags(tags)), call)
    if out:
        write_values(out, outcome.values)
    if as_json:
        click.echo(json.dumps(text.as_json(outcome), indent=1))
    else:
        click.echo("\n".join(text.of_outcome(outcome)))


class _Counts(click.ParamType[Any]):
    """Numbers between commas."""

    name = "N,N,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The numbers; a failure is told as click does."""
        if isinstance(value, tuple):
            return value
        counts = tuple(int(each) if each.isdecimal() else -1 for each in value.split(","))
        if min(counts) < 0:
            self.fail(f"{value!r} is no list of counts.", param, ctx)
        return counts


@main.command("bench")
@click.argument("file")
@_of_a_call
@click.option("--batch", default="1", type=_Counts(), help="Sizes of random inputs, the first.")
@click.option("--threads", default="0", type=_Counts(), help="Of each step; 0: all there are.")
@click.option("--tensorflow", is_flag=True, help="Beside TensorFlow, if that is installed.")
@click.option("--repeat", default=50, type=click.IntRange(1), help="Runs that are timed.")
@click.option("--warm-up", default=15, type=click.IntRange(0), help="Runs before them.")
@_JSON
@told
def bench(
    file: str,
    feed: tuple[str, ...],
    fetch: tuple[str, ...],
    signature: str | None,
    tags: str | None,
    target: str,
    batch: tuple[int, ...],
    threads: tuple[int, ...],
    tensorflow: bool,
    repeat: int,
    warm_up: int,
    as_json: bool,
) -> None:
    """Times the model in FILE: milliseconds of a run, and rows a second.

    Inputs that are not fed get random values.

    \b
    Examples: python -m dataflow bench frozen.pb --repeat 100
              python -m dataflow bench exported/ --batch 1,8,64 --threads 1,4 --tensorflow
    """
    call = Call(feed, fetch, signature, target, repeat, warm_up)
    rows = []
    for each in bench_model(open_model(file, _tags(tags)), call, batch, threads, tensorflow):
        rows.append(text.measured_as_json(each))
        if not as_json:
            click.echo(text.of_measured(each))
    if as_json:
        click.echo(json.dumps(rows, indent=1))


@main.command("convert")
@click.argument("source")
@click.argument("target")
@click.option(
    "--to",
    type=click.Choice(sorted(TARGETS)),
    help="The form; told by TARGET's suffix: .pb, .pbtxt, .meta, .ckpt, .safetensors, .npz; "
    "else a SavedModel.",
)
@click.option("--tags", help=_TAGS)
@click.option("--signature", help="Whose outputs a frozen graph has; by default serving_default.")
@click.option("--output", multiple=True, metavar="NAME", help="A node to keep, instead of those.")
@click.option(
    "--weights", help=f"Values for variables, or a frozen graph's constants: {', '.join(WEIGHTS)}."
)
@_JSON
@told
def convert(
    source: str,
    target: str,
    to: str | None,
    tags: str | None,
    signature: str | None,
    output: tuple[str, ...],
    weights: str | None,
    as_json: bool,
) -> None:
    """Converts SOURCE, a model or weights, into TARGET.

    A model is a SavedModel, a MetaGraph with its checkpoint, or a frozen graph. Weights are a
    checkpoint, safetensors, npz, or HDF5 of Keras, which is only read.

    \b
    Examples: python -m dataflow convert exported/ frozen.pb
              python -m dataflow convert model.meta weights.safetensors
              python -m dataflow convert model.meta new/ --weights weights.safetensors
    """
    job = Conversion(source, target, to, _tags(tags), signature, output, weights)
    done = convert_model(job)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(done), indent=1))
    else:
        click.echo(text.of_conversion(done))


@main.command("transform")
@click.argument("source")
@click.argument("target")
@click.option("--inputs", default="", help="Nodes that are fed, between commas.")
@click.option("--outputs", required=True, help="Nodes that are fetched, between commas.")
@click.option("--transforms", required=True, help="Passes, as TensorFlow 1's tool takes them.")
@_JSON
@told
def transform(
    source: str, target: str, inputs: str, outputs: str, transforms: str, as_json: bool
) -> None:
    """Passes over the graph in SOURCE, one after the other, written to TARGET.

    \b
    Example: python -m dataflow transform frozen.pb small.pb --inputs x --outputs y
             --transforms 'strip_unused_nodes fold_constants(ignore_errors=true) fold_batch_norms'
    """
    graph_def = model_of(recognize(source)).graph_def
    given, taken = ([each for each in names.split(",") if each] for names in (inputs, outputs))
    result = TransformGraph(graph_def, given, taken, [transforms])
    folder, name = os.path.split(target)
    write_graph(result, folder, name, as_text=target.endswith(".pbtxt"))
    counts = {"nodes": len(result.node), "nodes_before": len(graph_def.node)}
    if as_json:
        click.echo(json.dumps({"target": target, **counts}, indent=1))
    else:
        click.echo(f"{target}: {counts['nodes']} nodes of {counts['nodes_before']}")


@main.command("devices")
@click.option("--target", default="", help="'ray' shows those of a cluster.")
@_JSON
@told
def devices(target: str, as_json: bool) -> None:
    """Lists the devices that a session has.

    Example: python -m dataflow devices
    """
    found = [
        {"name": each.name, "type": each.device_type, "memory_limit_bytes": each.memory_limit_bytes}
        for each in devices_of(target)
    ]
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(text.of_device(each) for each in found))


main.add_command(check_program)
main.add_command(serve_models)


def console() -> None:
    """The console script."""
    main(prog_name="dataflow")
    sys.exit(0)
