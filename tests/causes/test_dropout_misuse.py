"""Dropout on the prediction itself; the twin drops hidden units."""

from tests.twins import Twin

TWIN = Twin(
    "lit_sonar",
    {
        "x = F.relu(self.fc2(x))": "x = self.dropout(F.relu(self.fc2(x)))",
        "self.dropout(self.fc3(x))": "self.fc3(x)",
    },
)
