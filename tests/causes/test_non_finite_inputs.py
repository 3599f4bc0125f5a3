"""Missing values are NaN; the twin has the mean in their place."""

from tests.twins import Twin

TWIN = Twin(
    "insurance_claims",
    {
        "np.nanstd(X, axis=0)\n": """\
np.nanstd(X, axis=0)
    X = np.nan_to_num(X)
""",
    },
)
