"""A ledger, a secret or a folder that is not what it was is noticed before anything is drawn, and said in one line."""

import shutil

import pytest

from . import damage
from .damage import linked, mode, statement
from .world import World

NOTICED = {
    "deleted": lambda world: world.ledger.unlink(),
    "cut in half": lambda world: world.ledger.write_bytes(world.ledger.read_bytes()[:20_000]),
    "another file": lambda world: world.ledger.write_bytes(b"x" * 9999),
    "an entry deleted": statement("DELETE FROM entries"),
    "an entry edited": statement("UPDATE entries SET line = replace(line, '\"release\"', '\"owner\"')"),
    "an entry renumbered": statement("UPDATE entries SET id = 2"),
    "a seal edited": statement("UPDATE entries SET seal = 'x'"),
    "secret deleted": lambda world: (world.private / "secret").unlink(),
    "secret of another workspace": lambda world: (world.private / "secret").write_bytes(b"x" * 32),
    "private a link": linked("private"),
    "votes a link": linked("private/votes"),
    "ledger a link": linked("private/ledger.sqlite"),
    "private open to the group": mode("private", 0o750),
    "votes open to the group": mode("private/votes", 0o740),
    "ledger open to the group": mode("private/ledger.sqlite", 0o640),
    "secret open to the group": mode("private/secret", 0o640),
}
FAST = ("deleted", "cut in half", "an entry edited", "secret deleted", "votes a link", "ledger open to the group")
EMPTIED = {
    "truncated to nothing": lambda world: world.ledger.write_bytes(b""),
    "entries dropped": statement("DROP TABLE entries"),
    "entries and their count deleted": statement("DELETE FROM entries; UPDATE sqlite_sequence SET seq = 0"),
}
BACK = {
    "an older copy": lambda world: shutil.copy(world.folder / "older", world.ledger),
    "the last entry and its count": statement("DELETE FROM entries WHERE id = 2; UPDATE sqlite_sequence SET seq = 1"),
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=[] if one in FAST else pytest.mark.slow) for one in NOTICED])
def test_damage_is_noticed(tmp_path, template, name):
    damage.spoiled(tmp_path / "world", template, NOTICED[name])


@pytest.mark.parametrize("name", EMPTIED)
def test_an_emptied_ledger_is_noticed(tmp_path, template, name):
    damage.spoiled(tmp_path / "world", template, EMPTIED[name])


@pytest.mark.parametrize("name", BACK)
def test_a_ledger_of_yesterday_is_noticed(tmp_path, template, name):
    damage.rolled_back(tmp_path / "world", template, BACK[name])


def test_a_lost_write_ahead_log_takes_no_spend_with_it(tmp_path, template):
    damage.log_lost(tmp_path / "world", template)


def test_a_bit_turned_over_in_the_name_of_a_table(tmp_path, template):
    def spoil(world):
        world.ledger.write_bytes(world.ledger.read_bytes().replace(b"tableartifacts", b"table\xe1rtifacts"))

    damage.spoiled(tmp_path / "world", template, spoil, "ledger")


@pytest.mark.parametrize("seal", ["CAST(seal AS BLOB)", "'é'"])
def test_a_seal_of_another_kind_is_a_changed_entry(tmp_path, template, seal):
    spoil = statement(f"UPDATE entries SET seal = {seal}")
    damage.spoiled(tmp_path / "world", template, spoil, "missing or was changed")


def test_an_answer_that_was_changed_is_not_served(tmp_path, template):
    world = World(tmp_path / "world", template)
    statement("UPDATE answers SET answer = 1 - answer")(world)
    world.refuses("a recorded answer was changed", overrides=("force=[]", "labels.queries=13"))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 4, 5, 6))])
def test_a_bit_turned_over_is_noticed_or_harmless(tmp_path, template, seed):
    told = damage.flips(tmp_path / "flips", template, 200, seed)
    assert told["noticed"] > 0
