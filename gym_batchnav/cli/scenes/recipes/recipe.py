"""What a recipe consists of, and its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Licence:
    """Under what terms a data set is given out."""

    name: str
    allows: str
    """What it is for, in a few words."""
    agreement: str
    """Who must agree to what, and how."""
    link: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do."""

    text: str
    commands: tuple[str, ...] = ()
    """Lines for a shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """From nothing to an environment, for one data set."""

    name: str
    """As given to ``batchnav scenes recipe``."""
    title: str
    about: str
    licence: Licence
    needs: str
    """What must be installed."""
    steps: tuple[Step, ...]
    scenes: str
    """What to pass as ``scenes=``."""
    check: tuple[str, ...]
    """Commands that look at the result."""
    notes: str = ""
    sources: tuple[str, ...] = ()
    """Where the facts were found."""

    @property
    def code(self) -> str:
        """Python that makes an environment of the scenes."""
        return (
            "import gymnasium as gym\n\nimport gym_batchnav\n\n"
            f'envs = gym.make_vec("BatchPointNav-v0", num_envs=64, scenes="{self.scenes}")'
        )


def markdown(recipe: Recipe) -> str:
    """The text of a recipe, as it stands in the documentation."""
    licence = recipe.licence
    lines = [
        f"### {recipe.title}",
        "",
        recipe.about,
        "",
        f"**Licence:** [{licence.name}]({licence.link}): {licence.allows}",
        "",
        f"**Who agrees:** {licence.agreement}",
        "",
        f"**Needs:** {recipe.needs}",
        "",
    ]
    for number, step in enumerate(recipe.steps, 1):
        lines.append(f"{number}. {step.text}")
        if step.commands:
            lines += ["", "   ```sh", *(f"   {line}" for line in step.commands), "   ```", ""]
    if lines[-1]:
        lines.append("")
    lines += ["Look at the result, then use it:", "", "```sh", *recipe.check, "```", ""]
    lines += ["```python", recipe.code, "```", ""]
    if recipe.notes:
        lines += [recipe.notes, ""]
    lines += [f"Sources: {', '.join(f'<{source}>' for source in recipe.sources)}", ""]
    return "\n".join(lines)
