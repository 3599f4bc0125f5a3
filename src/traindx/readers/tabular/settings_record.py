"""Records of settings: what stands in `args.json` was chosen before the run, not measured in it."""

from traindx.readers.names.vocabulary import fact_of, meaning
from traindx.readers.types import Log
from traindx.run import Better


def only_sets(log: Log) -> bool:
    """Whether a log states facts of a run and measures nothing."""
    measured = [means for column in log.columns if (means := meaning(column.name, column.split))]
    names = [*log.settings, *(column.name for column in log.columns)]
    if any(means.quantity.better is not Better.NEITHER for means in measured) or not any(map(fact_of, names)):
        return False
    return all(len(column.values) == 1 or meaning(column.name) is None for column in log.columns)
