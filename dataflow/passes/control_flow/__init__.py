"""Functions and structured control flow into primitives, and what those imply; places nothing."""
