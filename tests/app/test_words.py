"""Whatever was typed wrongly: one line that names the nearest thing that exists, exit code 2, nothing written."""

import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.app.verbs import asked
from pate.app.words import understood
from pate.errors import ConfigError, nearest

ASKED = asked()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["run"], "did you mean `pate` alone, which runs everything, or stage=NAME?"),
        (["labels"], "did you mean stage=labels?"),
        (["lables", "seed=1"], "did you mean stage=labels?"),
        (["mnist"], "did you mean dataset=mnist?"),
        (["mnist_bst"], "did you mean +experiment=mnist_best?"),
        (["-m", "frobnicate"], "see pate --help"),
        (["--verison"], "did you mean --version?"),
        (["stage=data", "--quite"], "did you mean --quiet?"),
        (["--cfg", "jobs"], "invalid choice: 'jobs'"),
        (["stage=data", "--cfg", "job", "seed=1"], "put it before or behind all of them"),
    ],
)
def test_a_word_hydra_would_not_take_is_refused_with_what_was_meant(words, meant):
    with pytest.raises(ConfigError) as refused:
        understood(words, ASKED)
    assert meant in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("run", "stage=NAME?"),
        ("--verison", "did you mean --version?"),
        ("teacher=ridge", "did you mean teachers=ridge?"),
        ("tachers.count=3", "did you mean teachers.count=3?"),
        ("dataset=minst", "did you mean dataset=mnist?"),
        ("labels.querys=5", "did you mean labels.queries=5?"),
        ("+lables.queries=5", "did you mean +labels.queries=5?"),
        ("stage=lables", "did you mean labels?"),
    ],
)
def test_a_wrong_word_is_one_line_and_nothing_is_written(pate, tmp_path, word, meant):
    done = pate(word)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("pate: ")
    assert line.endswith(meant)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), max_size=4))
def test_any_command_line_is_taken_or_refused_in_our_own_words(words):
    """No usage of argparse's, no exit from within it."""
    words = [word for word in words if word not in ("--version", "help")]
    with suppress(ConfigError):
        assert understood(words, ASKED) == words


@given(st.sampled_from(ASKED), st.integers(0, 20))
def test_two_neighbouring_letters_swapped_find_their_stage_again(stage, place):
    at = place % (len(stage) - 1)
    swapped = stage[:at] + stage[at + 1] + stage[at] + stage[at + 2 :]
    assert nearest(swapped, ASKED) == stage or len(stage) < 5


def test_the_version_and_the_help_for_whoever_asks_in_other_words(pate, tmp_path):
    for word in ("--version", "--vers"):  # as argparse has it, a beginning will do
        told = pate(word)
        assert (told.returncode, told.stdout, told.stderr) == (0, f"pate {version('pate-pipelines')}\n", "")
    asked, known = pate("help"), pate("--help")
    assert asked.returncode == known.returncode == 0
    assert asked.stdout == known.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_installed_command_says_the_same():
    script = Path(sys.executable).with_name("pate")
    if not script.exists():
        pytest.skip("not installed as a command")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=300)
    assert done.stdout == f"pate {version('pate-pipelines')}\n"
