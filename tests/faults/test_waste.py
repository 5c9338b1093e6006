"""Kills after everything is stored: nothing is left to draw, to mend or to sweep up."""

import os
import signal
from functools import partial

from pate.workspace.pieces import Pieces

from . import pipeline
from .child import Child
from .hooks import Hooks
from .world import World


def killed(world, overrides, force, hooks, first=bool):
    def work() -> int:
        first()
        return pipeline.quick(pipeline.composed(*overrides), world.workspace, force, hooks)

    assert Child(work, world.folder / "killed").wait().killed


def test_a_forced_draw_that_was_stored_is_not_drawn_again(tmp_path, template):
    world = World(tmp_path / "world", template)
    killed(world, pipeline.SMALL, ("labels",), Hooks(world.log, at=1, where="unlink again"))
    assert world.look().reserved == 24
    assert world.works().reserved == 24


def test_forced_rounds_that_were_stored_are_not_missed(tmp_path):
    world = World(tmp_path / "world")
    again = partial(pipeline.quick, pipeline.composed(*pipeline.ACTIVE), world.workspace, (), Hooks(world.log))
    assert Child(again, tmp_path / "output").wait().code == 0

    def half_swept() -> None:
        clear = Pieces.clear

        def sweep(pieces: Pieces) -> None:
            kept = next(iter(pieces._folder.glob("000001-*.npy")), None)
            if kept is None:
                return clear(pieces)
            kept.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

        Pieces.clear = sweep

    killed(world, pipeline.ACTIVE, ("labels",), Hooks(world.log), half_swept)
    outcome = Child(again, tmp_path / "output").wait()
    assert outcome.code == 0, outcome.said


def test_pieces_of_a_stored_stage_are_swept_up_by_the_next_run(tmp_path):
    world = World(tmp_path / "world")
    killed(world, pipeline.SMALL, (), Hooks(world.log, at=1, where="rmdir /"))
    assert world.works().litter == []
