"""Weights, gradients and the state of Adam in float16; the twin has float32."""

from tests.twins import Twin

TWIN = Twin(
    "ecg_half",
    {
        "DTYPE = torch.float16": "DTYPE = torch.float32",
    },
)
