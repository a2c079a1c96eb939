"""16-bit floats by way of float32."""
