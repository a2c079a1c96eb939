"""What pipelines are told of how to run: options, their messages, who is told of the stages."""
