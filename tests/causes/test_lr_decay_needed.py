"""A rate that stays and a floor that could be lower; the twin drops the rate twice."""

from tests.twins import CurveTwin

TWIN = CurveTwin("s-plateau-needs-drop", "h-plateau-drop-made")
