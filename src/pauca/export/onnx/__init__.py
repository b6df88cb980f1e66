"""ONNX: portable forms as graphs, and converters registered with skl2onnx."""

from .convert import OPSET, register_converters, to_onnx

__all__ = ["OPSET", "register_converters", "to_onnx"]
