"""One reservation pays for one release: a model that could be seen is not followed by another for the same price."""

from functools import partial

import pytest

from pate.learning.checkpoint import Checkpoint

from . import pipeline
from .child import Child
from .hooks import Hooks
from .world import World


def few_checkpoints() -> None:
    """As in a run of minutes: the last steps are after the last checkpoint."""
    save = Checkpoint.save

    def rarely(checkpoint: Checkpoint, arrays: dict) -> None:
        if checkpoint._count < 4:
            save(checkpoint, arrays)

    Checkpoint.save = rarely


def model(world: World) -> bytes:
    (file,) = (world.workspace / "release" / "dpsgd").glob("[0-9a-f]*/dpsgd.safetensors")
    return file.read_bytes()


@pytest.mark.slow
def test_a_forced_training_that_was_stored_is_not_finished_once_more(tmp_path):
    world, settings = World(tmp_path / "world"), pipeline.composed(*pipeline.DPSGD)

    def run(force: tuple[str, ...], hooks: Hooks) -> int:
        few_checkpoints()
        return pipeline.quick(settings, world.workspace, force, hooks)

    assert Child(partial(run, (), Hooks(world.log)), tmp_path / "first").wait().code == 0
    stored = Hooks(world.log, at=4, after=True, where="release/dpsgd/.")  # a folder, the old one's, its end, a rename
    assert Child(partial(run, ("dpsgd",), stored), tmp_path / "second").wait().killed
    seen = model(world)
    assert Child(partial(run, (), Hooks(world.log)), tmp_path / "third").wait().code == 0
    assert len(world.look(complete=True).entries) == 2
    assert model(world) == seen, "two models, and one reservation for both"
