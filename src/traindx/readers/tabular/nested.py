"""Nested documents to flat settings: {"optimizer": {"lr": "1e-4"}} is optimizer.lr = 0.0001."""

from collections.abc import Iterator, Mapping

from traindx.run import Scalar


def flattened(
    document: Mapping[object, object], prefix: str = "", depth: int = 8
) -> Iterator[tuple[str, Scalar]]:
    """The scalars of a nested document under dotted names; W&B's {desc, value} pairs count as their value."""
    for key, value in document.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and "value" in value and set(value) <= {"desc", "value"}:
            value = value["value"]  # noqa: PLW2901  W&B wraps each setting
        if isinstance(value, str):
            yield name, number_or_text(value)
        elif isinstance(value, bool | int | float):
            yield name, value
        elif isinstance(value, dict) and depth > 0 and key != "_wandb":
            yield from flattened(value, f"{name}.", depth - 1)


def number_or_text(text: str) -> Scalar:
    """A number where the text is one (YAML leaves 1e-4 a string), else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text[:500])
