"""python -m dataflow."""

from dataflow.command.main import main as main

if __name__ == "__main__":
    main(prog_name="python -m dataflow")
