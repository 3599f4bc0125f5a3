"""The fault-injection corpus: small real trainings, healthy or with one fault, that the ranking is fitted on.

PYTHONPATH=bench python -m corpus.make      train and record what is not recorded yet (resumable)
PYTHONPATH=bench python -m corpus.table     ask every sign of every recording: answers.csv
PYTHONPATH=bench python -m corpus.fit       fit the points to the answers, into the files of the causes
PYTHONPATH=bench python -m corpus.accuracy  score on families that the fit has not seen: docs/accuracy.md

`recipe` draws what is trained, `tasks` and `families` say on what and with what, `faults/` what is wrong with
it; `program` is the training itself, which knows nothing of faults; `harm` holds a faulty run against its
healthy twin.
"""
