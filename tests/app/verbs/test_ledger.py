"""ledger on the command line: an account or a workspace that released nothing is said so."""


def test_an_account_that_is_not_there_is_said_so(pate):
    small = ["teachers=ridge", "teachers.count=10", "labels.queries=20", "n_jobs=1"]
    assert pate(*small, "stage=labels").returncode == 0
    shown = pate("stage=ledger", "budget.account=typo")
    assert "account typo has released nothing; this workspace has digits" in shown.stdout
    assert pate("stage=ledger", "budget.account=").returncode == 2


def test_a_ledger_nobody_made_is_said_so(pate):
    done = pate("stage=ledger")
    assert done.returncode == 2
    assert "nothing was run there" in done.stderr
