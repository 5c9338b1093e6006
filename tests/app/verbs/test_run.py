"""run: the stage that was asked for, its results in a file, and the quiet told where that is."""

import json
import stat

from pate.app.verbs import run
from pate.app.verbs.request import Request


def test_the_results_are_in_the_folder_and_the_quiet_are_told_so(settings, tmp_path, monkeypatch, capsys):
    (tmp_path / "one").mkdir()
    begun = set()
    request = Request(settings("stage=data", "n_jobs=1"), tmp_path / "one", ["stage=data"], begun=begun)
    found = run.ask(request)
    file = tmp_path / "one" / "results.json"
    assert set(found.stages) == {"check", "data"} == set(json.loads(file.read_text())["stages"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert begun == {"check", "data"}
    monkeypatch.setattr(run, "quiet", lambda: True)
    run.tell(request, found)
    assert capsys.readouterr().out == f"{file}\n"
    run.tell(Request(request.settings, request.folder, of_sweep=True), found)  # a sweep says it once, at its end
    assert capsys.readouterr().out == ""
