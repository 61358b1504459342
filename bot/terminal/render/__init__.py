"""Reports as people read them in a terminal: aligned text, Markdown. JSON is the models' own."""
