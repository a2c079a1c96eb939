"""Files and folders as programs see them, by their early and their newer names."""
