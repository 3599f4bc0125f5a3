"""A post-norm transformer at its full rate from the first step; the twin warms up."""

from tests.twins import CurveTwin

TWIN = CurveTwin("s-no-warmup", "h-post-norm-warmup")
