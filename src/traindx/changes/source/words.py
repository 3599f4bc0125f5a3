"""Numbers and names as source spells them."""

import libcst as cst


def number_text(value: float, *, whole: bool = False) -> str:
    """The shortest spelling of a number: 0.02, 3e-05; without a point where it counts something."""
    if whole:
        return str(round(value))
    # Six digits: what a product of two written numbers needs, without the dust of binary fractions.
    return repr(float(f"{value:.6g}"))


def number_of(node: cst.CSTNode) -> float | None:
    """The value of a number that is written out; None for anything else."""
    if isinstance(node, cst.Integer | cst.Float):
        return float(node.evaluated_value)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = number_of(node.expression)
        return None if inner is None else -inner
    return None


def text_of(node: cst.CSTNode) -> str | None:
    """The value of a text that is written out; None for anything else."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def last_name(node: cst.CSTNode) -> str:
    """The last part of a dotted name: "SGD" of torch.optim.SGD; empty where it is none."""
    if isinstance(node, cst.Name):
        return node.value
    return node.attr.value if isinstance(node, cst.Attribute) else ""


def first_name(node: cst.CSTNode) -> str:
    """The first part of a dotted name: "torch" of torch.optim.SGD; empty where it is none."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def expression(text: str) -> cst.BaseExpression:
    """A text as a piece of source."""
    return cst.parse_expression(text)
