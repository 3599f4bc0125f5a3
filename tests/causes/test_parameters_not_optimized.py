"""Layers are replaced after the optimizer got the old ones; the twin replaces them before."""

from tests.twins import Twin

TWIN = Twin(
    "encoder_swap",
    {
        "model = SignalNet()\n": """\
model = SignalNet()
model.widen(24)
""",
        """\
nn.CrossEntropyLoss()
model.widen(24)
""": "nn.CrossEntropyLoss()\n",
    },
)
