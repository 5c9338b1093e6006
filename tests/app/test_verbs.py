"""What stage= takes, and the lines of the help, come from what is declared."""

from pathlib import Path

from pate.app.stages import stages
from pate.app.verbs import asked, listing, running_none
from pate.workspace import catalogue
from pate.workspace.stage import Stage

ROOT = Path(__file__).parents[2]


def test_everything_a_stage_or_a_verb_that_runs_none():
    assert asked()[0] == "all"
    assert set(asked()) == {"all", *stages(), *running_none()}
    assert len(asked()) == len(set(asked()))
    assert set(running_none()) == {"clean", "curve", "ledger", "predict"}


def test_every_verb_and_every_stage_is_a_file_with_a_line_of_its_own():
    lines = dict(line.split(maxsplit=1) for line in listing().splitlines())
    assert set(lines) >= {*asked()} - {"all"}
    files = {file.stem for file in (ROOT / "pate" / "app" / "verbs").glob("[a-z]*.py")} - {"request"}
    assert files == {"run", "compare", "check", *running_none()}
    for name, line in lines.items():
        assert len(line) > 15, name
        assert not line.endswith(".")
        assert "$" not in line  # Hydra would take it for a name


def test_a_stage_of_a_plug_in_is_known_everywhere(monkeypatch):
    def distil(run):
        """Teach a smaller student. It reads public things only."""

    stages()  # those of the package first
    monkeypatch.setattr(catalogue, "_STAGES", [*catalogue._STAGES, Stage("distil", distil)])
    assert "distil" in asked()
    assert "Teach a smaller student" in listing()
    assert "It reads public things only" not in listing()


def test_the_list_of_stages_is_written_nowhere_a_second_time():
    for file in ("conf/config.yaml", "conf/hydra/help/pate.yaml", "pate/app/words.py", "pate/app/preflight.py"):
        text = (ROOT / file).read_text()
        assert "dpsgd_publishable" not in text, file
