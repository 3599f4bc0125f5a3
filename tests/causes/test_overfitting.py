"""140 patients and 420,000 parameters for 80 epochs; the twin stops once the validation loss rises."""

from tests.twins import Twin

TWIN = Twin(
    "metabolomics",
    {
        "    if epoch % 8 == 7:": """\
    if epoch > np.argmin(history["val_loss"]) + 2:
        break
    if epoch % 8 == 7:""",
    },
)
