"""Validated in train mode; the twin switches dropout and batch normalization."""

from tests.twins import Twin

TWIN = Twin(
    "digits_dropout_trainer",
    {
        "        total = n = 0\n": """\
        self.model.train()
        total = n = 0
""",
        "        total = hits = n = 0\n": """\
        self.model.eval()
        total = hits = n = 0
""",
    },
)
