"""The engines: values in, values out; no network, no clock, no environment."""
