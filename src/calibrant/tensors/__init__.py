"""Calibration inside evaluation loops: sums on the device of the predictions."""

from calibrant.tensors.accumulator import Accumulator

__all__ = ["Accumulator"]
