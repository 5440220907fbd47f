"""Encoders as objects of study: parameter counts, hidden states, masked words, calibration."""
