"""Images: sizes, colors, crops, boxes, files; imports up to `random`."""
