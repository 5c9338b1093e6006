"""The account of private data: as it is named, as its content is known, or by default."""

import logging
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pate.errors import BudgetExceeded
from pate.ledger.ledger import Budget, Ledger, Spender
from pate.settings import BudgetConfig
from pate.workspace.about import Record
from pate.workspace.accounts import Accounts
from pate.workspace.stage import Pipeline, stage
from pate.workspace.store import Store
from tests.workspace.flow import RELEASE, A, B, C


def accounts(tmp_path, contents=(), account=None, limit=Budget(None, 1e-5)):
    """Private data called "usual" by default and recognised by these contents -> a draw -> what is made of it."""

    @stage(writes=[A], account=lambda settings: "usual")
    def data(run): ...

    @stage(reads=[A], writes=[B], crosses="test noise")
    def noisy(run, a): ...

    @stage(reads=[B], writes=[C])
    def last(run, b): ...

    settings = SimpleNamespace(
        budget=BudgetConfig(account=account), limit=limit, dataset=SimpleNamespace(name="usual name")
    )
    records = {"data": Record("key", 0.0, None, False, "", contents=contents)} if contents else {}
    return Accounts(settings, Pipeline((data, noisy, last)), Ledger.of(Store(tmp_path)), records)


@pytest.fixture
def spent(tmp_path):
    """Something was released of data with content "known", on the account of a clinic."""
    spender = Spender("clinic", "release", "noisy/1", "run", "plan", ("known",))
    Ledger.of(Store(tmp_path)).reserve(spender, RELEASE, Budget(None, 1e-5), lambda *_: None)


def test_by_default_it_is_that_of_the_stage_that_brought_the_data(tmp_path):
    found = accounts(tmp_path)
    assert [found.of(one) for one in found.graph.stages] == ["usual"] * 3
    assert found.first == "usual"


def test_content_that_is_known_has_its_account_whatever_file_it_comes_in(tmp_path, spent):
    assert accounts(tmp_path, ("new", "known")).first == "clinic"
    assert accounts(tmp_path, ("new",)).first == "usual"


def test_who_names_it_decides(tmp_path, spent):
    assert accounts(tmp_path, ("known",), account="people").first == "people"


def test_content_is_that_of_the_private_data_behind_a_stage(tmp_path):
    found = accounts(tmp_path, ("one", "two"))
    assert [found.contents(one) for one in found.graph.stages] == [["one", "two"]] * 3


def test_what_a_look_at_the_data_has_read_counts_before_they_are_in(tmp_path, spent):
    found = accounts(tmp_path)
    found.records["check"] = Record("key", 0.0, None, False, "", contents=("known",))
    assert found.first == "clinic"


@pytest.mark.parametrize(
    ("contents", "account", "warned"), [(("new",), None, True), (("known",), None, False), (("new",), "people", False)]
)
def test_new_data_beside_known_accounts_are_told(tmp_path, spent, caplog, contents, account, warned):
    found = accounts(tmp_path, contents, account)
    found.warn_of_new(found.graph.stages)
    assert ("these private data are new here: account usual, beside clinic" in caplog.text) == warned


def test_the_first_data_of_all_are_new_to_nobody(tmp_path, caplog):
    found = accounts(tmp_path, ("new",))
    found.warn_of_new(found.graph.stages)
    assert not caplog.records


def test_what_will_not_fit_is_refused_before_unless_it_may_be_served_again(tmp_path, spent, caplog):
    caplog.set_level(logging.ERROR)
    found = accounts(tmp_path, ("known",), limit=Budget(1.5, 1e-5, strict=True))
    found.foresee([("noisy", RELEASE)])  # like the one there is
    with pytest.raises(BudgetExceeded):
        found.foresee([("noisy", replace(RELEASE, mechanism="other noise"))])
