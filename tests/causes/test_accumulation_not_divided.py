"""The losses of 16 batches are added up and not divided; the twin divides them."""

from tests.twins import Twin

TWIN = Twin(
    "concrete_accum",
    {
        "loss.backward()": "(loss / ACCUM_STEPS).backward()",
    },
)
