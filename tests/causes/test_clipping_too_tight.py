"""Gradients are clipped to a norm of 0.01; the twin clips them to 1."""

from tests.twins import Twin

TWIN = Twin(
    "digits_resnet_hf",
    {
        "max_grad_norm=0.01": "max_grad_norm=1.0",
    },
)
