"""compare on the command line: runs beside each other, no stage run, and one line where it refuses."""

from tests.report.sweep.made_up import ran


def test_the_command_line_compares_and_refuses(pate, tmp_path):
    ran(tmp_path / "a")
    ran(tmp_path / "b", changes={"seed": 1}, accuracy=0.8)
    done = pate("stage=compare", "compare.runs=[a,b]", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert "compare: 2 runs" in done.stdout
    assert f"compare  {tmp_path / 'out' / 'compare.csv'}" in done.stdout
    assert not (tmp_path / "workspace").exists()  # no stage was run, no store made
    for arguments, words in {
        ("stage=compare", "compare.runs=[a,c]"): "compare.runs: c is no folder; give those of runs or sweeps",
        ("stage=compare", "compare.runs=[[]]"): "compare.runs: [] is no folder",
        ("compare.runs=[a]",): "compare.runs is for stage=compare, and this is stage=all",
    }.items():
        refused = pate(*arguments, "hydra.run.dir=refused")
        assert refused.returncode == 2, refused.stderr
        assert words in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "refused").exists()
