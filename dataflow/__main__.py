"""python -m dataflow."""

from dataflow.porting.command import main as main

if __name__ == "__main__":
    main(prog_name="python -m dataflow")
