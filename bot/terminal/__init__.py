"""What the commands of `planproof` do in a terminal and in CI."""
