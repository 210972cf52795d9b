"""The command line: parse, call one function, print.

To show help only click is imported; everything else is imported when a command runs. A command is
one function that takes click and returns a ``click.Command``; adding it to ``COMMANDS`` adds it to
the group.

A mistake of the user ends in one line on standard error and the exit status 2, never in a
traceback. A run in which some fits failed ends in 1; one that was stopped, by Ctrl-C or by the
signal TERM, in 130. Control characters in names and messages, and characters that the terminal
cannot show, are escaped.
"""

from .command_line import COMMANDS, main

__all__ = ["COMMANDS", "main"]
