"""From a run to its diagnosis: ask every sign, score every cause, give a verdict."""
