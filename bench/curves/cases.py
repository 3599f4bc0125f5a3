"""All cases, from the modules that hold their tables."""

from curves import (
    healthy_small,
    healthy_various,
    sick_fit,
    sick_flat,
    sick_machine,
    sick_numbers,
    sick_rate,
    sick_unstable,
)
from curves.recipe import Recipe


def cases() -> tuple[Recipe, ...]:
    """Every recipe, each id once."""
    healthy = (healthy_small, healthy_various)
    sick = (sick_numbers, sick_unstable, sick_flat, sick_rate, sick_fit, sick_machine)
    recipes = tuple(recipe for table in healthy + sick for recipe in table.CASES)
    assert len({recipe.id for recipe in recipes}) == len(recipes)
    return recipes
