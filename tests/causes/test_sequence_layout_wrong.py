"""A GRU without batch_first gets the batch first; the twin sets it."""

from tests.twins import Twin

TWIN = Twin(
    "pump_states",
    {
        "nn.GRU(SENSORS, width)": "nn.GRU(SENSORS, width, batch_first=True)",
    },
)
