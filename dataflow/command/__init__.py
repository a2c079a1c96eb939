"""The command line: looks into models, runs, converts and times them; runs and checks programs."""
