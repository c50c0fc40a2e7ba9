"""What ``batchnav`` prints without arguments."""

from __future__ import annotations

import itertools

from rich.console import Console
from rich.table import Table

from .commands import COMMANDS

ABOUT = "Batched visual navigation: train agents that find their way through 3D houses."
EXAMPLE = ("batchnav train --time-limit 5", "trains for five minutes, and writes a report")
COMPLETION = 'eval "$(batchnav --print-completion bash)"'


def print_overview() -> None:
    """The commands by group, an example, and where to read on."""
    out = Console(highlight=False)
    out.print("[bold]usage:[/] batchnav COMMAND ...", soft_wrap=True)
    out.print(f"\n{ABOUT}\n")
    for group, commands in itertools.groupby(COMMANDS.items(), lambda item: item[1].group):
        out.print(f"[bold]{group}[/]")
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, min_width=10)
        table.add_column()
        for name, command in commands:
            table.add_row(f"  {name}", command.about)
        out.print(table)
        out.print()
    out.print(f"[bold]example:[/] {EXAMPLE[0]}\n  {EXAMPLE[1]}")
    out.print("\nbatchnav COMMAND --help explains a command, batchnav --version says which version this is.")
    out.print(f"[bold]completion in the shell:[/] {COMPLETION}", markup=True)
