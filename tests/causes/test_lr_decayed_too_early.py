"""A schedule that counts epochs advances with every batch; the twin's advances with every epoch."""

from tests.twins import Twin

TWIN = Twin(
    "digits_resnetlet",
    {
        "            sched.step()\n": "",
        "        vl, va_acc": "        sched.step()\n        vl, va_acc",
    },
)
