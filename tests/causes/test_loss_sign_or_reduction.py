"""The likelihood is minimized; the twin maximizes it."""

from tests.twins import Twin

TWIN = Twin(
    "river_flow_mdn",
    {
        "loss = model.log_prob": "loss = -model.log_prob",
        "val = model.log_prob": "val = -model.log_prob",
    },
    rival="saturated-activations",
)
