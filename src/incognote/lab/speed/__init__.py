"""Measuring throughput against a Hugging Face pipeline."""
