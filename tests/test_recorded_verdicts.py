"""What traindx says of trainings made for the purpose, against the labels of someone who looked at them."""

from functools import cache

from tests.recorded import Case, cases, curve
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict


@cache
def judged() -> list[tuple[Case, Diagnosis]]:
    return [(case, diagnose(curve(case.id))) for case in cases()]


def test_there_are_enough_of_them() -> None:
    assert len(cases()) >= 40
    assert sum(case.verdict == "healthy" for case in cases()) >= 20


def test_nine_of_ten_verdicts_fit() -> None:
    missed = [case.id for case, diagnosis in judged() if diagnosis.verdict.value != case.verdict]
    assert len(missed) <= 0.1 * len(cases()), missed


def test_no_healthy_training_is_called_sick() -> None:
    alarms = [
        case.id
        for case, diagnosis in judged()
        if case.verdict == "healthy" and diagnosis.verdict is Verdict.SICK and diagnosis.confidence >= 0.5
    ]
    assert alarms == []


def test_most_sick_trainings_have_a_true_cause_among_the_first_three() -> None:
    sick = [(case, diagnosis) for case, diagnosis in judged() if case.verdict == "sick"]
    missed = [
        case.id
        for case, diagnosis in sick
        if not {suspect.cause.slug for suspect in diagnosis.suspects[:3]} & set(case.causes)
    ]
    assert len(missed) <= 0.2 * len(sick), missed


def test_signs_an_expert_is_sure_of_are_seen() -> None:
    wanted = [(case.id, sign) for case in cases() for sign in case.signs]
    fired = {case.id: {asked.sign.slug for asked in diagnosis.findings} for case, diagnosis in judged()}
    missed = [(name, sign) for name, sign in wanted if sign not in fired[name]]
    assert len(missed) <= 0.1 * len(wanted), missed


def test_signs_that_must_not_fire_do_not() -> None:
    fired = {case.id: {asked.sign.slug for asked in diagnosis.findings} for case, diagnosis in judged()}
    false = [(case.id, sign) for case in cases() for sign in case.not_signs if sign in fired[case.id]]
    forbidden = sum(len(case.not_signs) for case in cases())
    assert len(false) <= 0.05 * forbidden, false
