"""What pages, figures and the terminal share: one frame for pages, one palette, SVG, numbers.

A progress bar, too. It knows nothing of fits, tables or experiments, and imports only the rooms
that all may use.
"""
