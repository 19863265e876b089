"""Modules that programs import from by onnxruntime's paths."""
