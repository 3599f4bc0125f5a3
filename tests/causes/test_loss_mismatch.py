"""Digits learned as a number by a mean squared error; the twin learns them as classes."""

from tests.twins import Twin

TWIN = Twin(
    "glyph_classifier",
    {
        "torch.tensor(digits.target, dtype=torch.float32)": "torch.tensor(digits.target)",
        "nn.Linear(32, 1)": "nn.Linear(32, 10)",
        "self.fc(self.conv(x)).squeeze(1)": "self.fc(self.conv(x))",
        "nn.MSELoss()": "nn.CrossEntropyLoss()",
        "pred.round()": "pred.argmax(1)",
    },
)
