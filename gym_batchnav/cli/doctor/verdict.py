"""One line that says whether this machine is ready, and how fast it is."""

from __future__ import annotations

from collections.abc import Sequence

from .problem import Facts, Problem


def is_ready(facts: Facts) -> bool:
    """Whether environments start here: a backend draws the known picture, and scenes can be loaded."""
    return not _obstacle(facts)


def verdict(facts: Facts, problems: Sequence[Problem]) -> str:
    """Such as "Ready: embree on 2 cores, about 9,000 images/s at 64 x 64, 5,100 steps/s. No problems."."""
    if obstacle := _obstacle(facts):
        return f"Not ready: {obstacle}. {_count(problems)}"
    return f"Ready: {_who(facts)}{_how_fast(facts)}. {_count(problems)}"


def _obstacle(facts: Facts) -> str:
    """Why no environment starts here; empty where one does."""
    if not any(found["ok"] for found in facts["self_test"].values()):
        return "no backend draws the known picture"
    error = facts["storage"]["cache"].get("error")
    return f"no scene can be loaded: {error}" if error else ""


def rounded(value: float) -> str:
    """Two digits are as many as a second of measurement is good for."""
    return f"{float(f'{value:.2g}'):,.0f}"


def _who(facts: Facts) -> str:
    auto = facts["auto"]
    if not auto["ok"]:
        right = next(name for name, found in facts["self_test"].items() if found["ok"])
        return f"{right} draws with backend={right!r}; auto does not"
    info, cores = auto["info"], facts["processor"]["cores"]
    if str(info["device"]).startswith("cuda"):
        return f"{info['backend']} on {info.get('gl_renderer', info['device'])}"
    return f"{info['backend']} on {cores} core{'s' if cores > 1 else ''}"


def _how_fast(facts: Facts) -> str:
    backend = facts["auto"].get("info", {}).get("backend", "")
    images, steps = (facts["speed"].get(name, {}).get("per_second") for name in (backend, "step"))
    said = f", about {rounded(images)} images/s at 64 x 64" if images else ""
    return said + (f", {rounded(steps)} steps/s" if steps else "")


def _count(problems: Sequence[Problem]) -> str:
    named = [
        f"{count} {kind}{'s' if count > 1 else ''}"
        for kind in ("error", "warning", "hint")
        if (count := sum(problem.severity == kind for problem in problems))
    ]
    serious = any(problem.severity != "hint" for problem in problems)
    return f"{', '.join(named)}." if serious else f"No problems{f', {named[0]}' if named else ''}."
