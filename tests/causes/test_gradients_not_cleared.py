"""Gradients are never cleared; the twin clears them before each backward pass."""

from tests.twins import Twin

TWIN = Twin(
    "diabetes_mlp",
    {
        "        loss.backward()": "        opt.zero_grad()\n        loss.backward()",
    },
)
