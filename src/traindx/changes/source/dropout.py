"""Dropout as torch spells it: modules and functions."""

MODULES = {
    "Dropout": "dropout",
    "Dropout1d": "dropout1d",
    "Dropout2d": "dropout2d",
    "Dropout3d": "dropout3d",
    "AlphaDropout": "alpha_dropout",
    "FeatureAlphaDropout": "feature_alpha_dropout",
}
"""Classes of dropout, and the functions they stand for."""
FUNCTIONS = frozenset(MODULES.values())
ON_UNLESS_TOLD = FUNCTIONS - {"alpha_dropout", "feature_alpha_dropout"}
"""Functions that drop where nothing is said of training; torch lets the others rest then."""
