"""A transformer that does not learn, in a log that does not tell why; its twin learns."""

from dataclasses import replace

from tests.causes.test_attention_logit_growth import TWIN as ATTENTION

TWIN = replace(ATTENTION, only_curves=True, rival="capacity-too-small")
