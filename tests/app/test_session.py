"""What a command has done is known to it alone: the next one in the same process begins afresh."""

from contextvars import copy_context

from pate.app.session import Session, new_session, planned, session


def test_a_command_begins_with_nothing_begun_and_nothing_failed():
    first = new_session()
    first.begun.add("labels")
    first.failed = True
    assert session() is first
    assert new_session() == Session()
    assert session() is not first


def test_a_callback_finds_the_session_of_its_command():
    this = new_session()
    assert copy_context().run(session) is this


def test_without_a_sweep_there_is_nothing_to_sum_up():
    assert not Session().sum_up()


def test_a_job_knows_the_plan_of_its_sweep(tmp_path):
    assert planned(tmp_path / "0") == ""
    (tmp_path / ".plan").write_text("abc")
    assert planned(tmp_path / "0") == "abc"
