"""The commands about programs: running one, and `check`."""

from __future__ import annotations

import dataclasses
import importlib
import json
import runpy
import sys
from pathlib import Path
from types import TracebackType

import click

from dataflow.porting import older_python
from dataflow.porting.check import Finding, Report, check
from dataflow.porting.hook import as_tensorflow
from dataflow.porting.uses import read

_TOOLS = "tensorflow.python.tools"
_TOOL_NAMES = (
    "freeze_graph",
    "inspect_checkpoint",
    "optimize_for_inference",
    "saved_model_cli",
    "strip_unused",
)
_INTERRUPTED = 130
"""The exit status that shells give a program that was interrupted."""
_SHOWN = 5
"""Places that are shown of a name."""


def run_program(program: str, arguments: tuple[str, ...], module: bool) -> None:
    """Runs a program as Python would, where `import tensorflow` means dataflow.

    Args:
      program: A file, a folder with a __main__.py, or the name of a module.
      arguments: Its own.
      module: Whether it is the name of a module.
    """
    as_tensorflow()
    sys.argv = [program, *arguments]
    try:
        if module:
            sys.path.insert(0, str(Path.cwd()))
            package, _, name = program.rpartition(".")
            if package == _TOOLS and name in _TOOL_NAMES:
                importlib.import_module(f"dataflow.transforms.tools.{name}").run_main()
                return
            runpy.run_module(program, run_name="__main__", alter_sys=True)
            return
        if not Path(program).is_dir():
            sys.path.insert(0, str(Path(program).resolve().parent))
        runpy.run_path(program, run_name="__main__")
    except (Exception, KeyboardInterrupt) as error:
        sys.excepthook(type(error), error, _of_program(error))
        if found := older_python.hint(error):
            click.echo(found, err=True)
        sys.exit(_INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1)


def _of_program(error: BaseException) -> TracebackType | None:
    """The frames of the program and of what it called, without those that started it."""
    trace = error.__traceback__
    while trace is not None and _starts_programs(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    error.__traceback__ = trace
    return trace


def _starts_programs(file: str) -> bool:
    return file == __file__ or "runpy" in Path(file).name


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, with all places.")
@click.argument("program", type=click.Path(exists=True, path_type=Path))
def check_program(program: Path, as_json: bool) -> None:
    """Says which of TensorFlow's names PROGRAM uses that dataflow lacks, without running it.

    PROGRAM is a file or a folder. The exit status is 0 if all names are there and all files could
    be read, else 1.

    Example: python -m dataflow check models/
    """
    as_tensorflow()
    report = check(read(program))
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(report), indent=1))
    else:
        click.echo("\n".join(_lines(report)))
    sys.exit(1 if report.missing or report.unread else 0)


def _lines(report: Report) -> list[str]:
    lines = [f"{where}: not read: {reason}" for where, reason in report.unread]
    for title, findings in (("Missing", report.missing), ("Different", report.different)):
        if findings:
            lines += [f"{title}:", *(line for each in findings for line in _finding(each))]
    share = 100 * report.uses_covered / report.uses if report.uses else 100
    lines.append(
        f"{report.files} files use {report.names} names of TensorFlow {report.uses} times: "
        f"{len(report.missing)} names are missing, {share:.1f} % of the uses are there."
    )
    return lines


def _finding(finding: Finding) -> list[str]:
    more = len(finding.places) - _SHOWN
    return [
        f"  {finding.path} ({len(finding.places)}): {finding.reason}",
        *(f"    {place}" for place in finding.places[:_SHOWN]),
        *([f"    and {more} more"] if more > 0 else []),
    ]
