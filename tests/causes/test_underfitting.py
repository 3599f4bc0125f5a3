"""Two hidden units for ten digits, in a log that does not tell of them."""

from tests.twins import CurveTwin

TWIN = CurveTwin("s-capacity-digits", "h-mlp-digits-adam")
