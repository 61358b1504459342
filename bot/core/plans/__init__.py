"""Plan documents of many formats, read into one Plan model."""
