"""The gan student (PATE-G, Papernot et al. 2017): a classifier that also tells public inputs from made-up ones.

Semi-supervised learning with feature matching (Salimans et al. 2016). The discriminator has one logit a class and a
fixed 0 for "made up", so that D(x) = Z / (Z + 1) with Z = sum exp(logits): what makes an input look real is that some
class claims it, and boundaries between classes move to where no public input lies. The generator only has to bring
the mean of the last hidden layer to that of public inputs; better ones make worse students (Dai et al. 2017).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pate.learning.checkpoint import Checkpoint, Training
from pate.learning.device import one_thread
from pate.learning.telling import tell
from pate.models.classifier import Classifier
from pate.progress import progress
from pate.students.student import Lesson, Student
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    import torch  # elsewhere inside functions, because it takes seconds to import
    from torch import nn

_NEVER = -1e4  # added to the logit of a class without a single label
_LOOK = 500  # steps between looks at the pool, each followed by a checkpoint
_RISE = 0.1  # share of the steps over which the average's answers come to count in full
_SETTLED, _LOOKS = 0.001, 3  # training ends once this share of answers or less has changed in each of so many looks
_FIRST = 500  # rows the discriminator's scales are started from
_LENGTH = "parametrizations.weight.original0"  # torch's name for the length of each weight vector
_SMALL = 0.1  # length of a start weight: the smaller, the faster a normalised one turns


@dataclass(frozen=True)
class GAN(Student):
    """Widths of both networks' hidden layers, and how they train: Adam, its rate falling to zero over the second half.

    Every layer of the discriminator reads its input with Gaussian noise. What is published is the running average of
    the discriminator's weights; from the share `late` of the steps on, its answers on public inputs are learned from
    too. On pixels (`features=identity`) this is the paper's kind of student; other features serve it better.
    """

    kind: ClassVar[str] = "gan"

    hidden: list[int] = field(default_factory=lambda: [400, 250, 250, 250])
    generator: list[int] = field(default_factory=lambda: [300, 300])
    latent: int = 100
    steps: int = 6000
    minibatch: int = 100
    labelled: int = 32
    learning_rate: float = 0.003
    input_noise: float = 0.6
    noise: float = 0.5
    average: float = 0.998
    agreement: float = 1.0
    late: float = 0.4

    def __post_init__(self) -> None:
        for name in ("hidden", "generator"):
            widths = getattr(self, name)
            if not widths or not all(isinstance(width, int) and width >= 1 for width in widths):
                raise ValueError(f"{name} must be widths of at least one layer, such as [300, 300], got {list(widths)}")
        for name, least in (("latent", 1), ("steps", 1), ("labelled", 1), ("minibatch", 2)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate must be a positive number, got {self.learning_rate}")
        for name in ("input_noise", "noise", "agreement"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)}")
        for name in ("average", "late"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be a share of at least 0 and below 1, got {getattr(self, name)}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Classifier:
        with one_thread(), progress("student: gan steps", self.steps) as advance:
            game = Game(self, lesson)
            saved = checkpoint.load() if checkpoint else None
            if saved:
                game.restore(saved)
                advance(game.done)
            while game.done < self.steps and game.quiet < _LOOKS:
                loss = game.step()
                advance(1)
                if game.done % _LOOK == 0:
                    game.look()
                    tell(game.done, loss=loss)
                    if checkpoint:
                        checkpoint.save(game.arrays())
            return game.classifier()


class Game:
    """A discriminator, the generator it plays against, and its average; all chance comes from one torch generator."""

    def __init__(self, how: GAN, lesson: Lesson) -> None:
        import torch

        self.how, self.done, self.quiet, self.wrong = how, 0, 0, lesson.wrong
        self._chance = torch.Generator().manual_seed(lesson.seed)  # the global one stays untouched
        self._read(lesson.features)
        self._index, self._label = (torch.from_numpy(np.array(a, np.int64)) for a in (lesson.index, lesson.label))
        self._belief = None if lesson.belief is None else torch.from_numpy(lesson.belief.astype(np.float32))
        seen = np.bincount(lesson.label, minlength=lesson.classes) > 0
        self._never = torch.from_numpy(np.where(seen, 0, _NEVER).astype(np.float32))
        features = self._rows.shape[1]
        self.network = _discriminator([features, *how.hidden, lesson.classes], self._chance)
        self._start()
        self._maker = _maker([how.latent, *how.generator, features], self._bounded, self._chance)
        self._mean = copy.deepcopy(self.network).requires_grad_(False)
        self._learned = [p for p in self.network.parameters() if p.requires_grad]
        self._made = list(self._maker.parameters())
        self._adam = {
            name: torch.optim.Adam(parameters, how.learning_rate, betas=(0.5, 0.999), fused=True)
            for name, parameters in (("learn", self._learned), ("make", self._made))
        }
        self._training = Training(self._chance, network=self.network, maker=self._maker, mean=self._mean, **self._adam)
        self._answers = self._answer()

    def _read(self, rows: np.ndarray) -> None:
        """Pixels in [0, 1] as they are; other features about their mean, with a variance of 1 on average."""
        import torch

        self._bounded = bool(rows.min() >= 0 and rows.max() <= 1)
        spread = float(np.sqrt(rows.var(axis=0, dtype=np.float64).mean()))
        self._middle = np.zeros(rows.shape[1], np.float32) if self._bounded else rows.mean(axis=0)
        self._width = np.float32(1 if self._bounded or spread == 0 else spread)
        self._rows = torch.from_numpy(((rows - self._middle) / self._width).astype(np.float32))

    def _start(self) -> None:
        """Every unit starts with mean 0 and variance 1 on public inputs (Salimans & Kingma 2016)."""
        import torch

        with torch.no_grad():
            h = self._rows[torch.randint(len(self._rows), (_FIRST,), generator=self._chance)]
            for i, layer in enumerate(_linear(self.network)):
                z = layer(self._blurred(h, i))
                width = (z.std(dim=0) + 1e-6).clamp_min(0.01)  # nothing may move a unit, in a pool of one
                layer.get_parameter(_LENGTH).div_(width[:, None])
                layer.bias.copy_(-z.mean(dim=0) / width)
                h = layer(h).relu()

    def _blurred(self, h: torch.Tensor, layer: int) -> torch.Tensor:
        much = self.how.noise if layer else self.how.input_noise
        return h + much * h.new_empty(h.shape).normal_(generator=self._chance) if much else h

    def judge(self, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and the last hidden layer, under noise."""
        for i, layer in enumerate(_linear(self.network)):
            hidden = h
            h = layer(self._blurred(h, i))
            if layer is not self.network[-1]:
                h = h.relu()
        return h + self._never, hidden

    def step(self) -> float:
        """One move of either side, both from what they did before it; the discriminator's loss."""
        import torch
        from torch.nn.functional import softplus
        from torch.nn.utils.parametrize import cached

        how = self.how
        rate = how.learning_rate * min(1.0, 2 - 2 * self.done / how.steps)
        for adam in self._adam.values():
            adam.param_groups[0]["lr"] = rate
        few = torch.randint(len(self._index), (how.labelled,), generator=self._chance)
        many = torch.randint(len(self._rows), (how.minibatch,), generator=self._chance)
        with cached():  # weights are normalised once a step
            made = self._maker(torch.rand(how.minibatch, how.latent, generator=self._chance))
            scores, hidden = self.judge(self._rows[torch.cat([self._index[few], many])])
            made_scores, made_hidden = self.judge(made)
            real, fake = torch.logsumexp(scores[len(few) :], 1), torch.logsumexp(made_scores, 1)
            loss = self._taught(few, scores[: len(few)])
            loss = loss + (softplus(-real).mean() + softplus(fake).mean()) / 2
            loss = loss + self._disagreement(many, scores[len(few) :])
            apart = (made_hidden.mean(0) - hidden[len(few) :].mean(0).detach()).square().mean()
            gradients = torch.autograd.grad(loss, self._learned, retain_graph=True)
            gradients += torch.autograd.grad(apart, self._made)
        for parameter, gradient in zip(self._learned + self._made, gradients, strict=True):
            parameter.grad = gradient
        for adam in self._adam.values():
            adam.step()
        self.done += 1
        kept = min(how.average, self.done / (self.done + 10))  # the start is forgotten sooner
        with torch.no_grad():
            for mean, now in zip(self._mean.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(now, 1 - kept)
        return float(loss.detach())

    def _taught(self, few: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """From labels of which a share is wrong, or from what is believed of each input."""
        import torch

        if self._belief is None:
            return noisy_entropy(scores, self._label[few], self.wrong)
        return -(self._belief[few] * torch.log_softmax(scores, 1)).sum(1).mean()

    def _disagreement(self, rows: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Cross entropy with the average's answer on the inputs as they are: a mean teacher (Tarvainen & Valpola 2017).

        It comes in late: what the average believes early is what it would believe for good.
        """
        import torch

        much = self.how.agreement * min(1.0, max(0.0, (self.done / self.how.steps - self.how.late) / _RISE))
        if not much:
            return scores.new_zeros(())
        belief = torch.softmax(self._mean(self._rows[rows]) + self._never, 1)
        return -much * (belief * torch.log_softmax(scores, 1)).sum(1).mean()

    def look(self) -> None:
        """Whether the answers on the pool still change: it needs no true label, and no private record."""
        before, self._answers = self._answers, self._answer()
        changing = (before != self._answers).mean() > _SETTLED or self.done < (self.how.late + _RISE) * self.how.steps
        self.quiet = 0 if changing else self.quiet + 1

    def _answer(self) -> np.ndarray:
        return (self._mean(self._rows) + self._never).argmax(1).numpy()

    def arrays(self) -> Arrays:
        state = {"done": np.array(self.done), "quiet": np.array(self.quiet), "answers": self._answers}
        return self._training.arrays() | state

    def restore(self, arrays: Arrays) -> None:
        self._training.restore(arrays)
        self.done, self.quiet, self._answers = int(arrays["done"]), int(arrays["quiet"]), arrays["answers"].copy()

    def classifier(self) -> Classifier:
        """The average with its normalised weights, the scaling and unseen classes folded into plain ones."""
        layers: Arrays = {}
        for i, layer in enumerate(_linear(self._mean)):
            layers[f"{i}.weight"] = layer.weight.detach().numpy().copy()
            layers[f"{i}.bias"] = layer.bias.detach().numpy().copy()
        layers["0.weight"] /= self._width
        layers["0.bias"] -= layers["0.weight"] @ self._middle
        layers[f"{i}.bias"] += self._never.numpy()
        return Classifier(layers, "relu")


def noisy_entropy(scores: torch.Tensor, label: torch.Tensor, wrong: float) -> torch.Tensor:
    """Cross entropy with what a label is expected to be once noise has had its way (Patrini et al. 2017, forward).

    A share `wrong` of labels is replaced by any other class: P(label) = (1 - wrong) p + wrong / (classes - 1) (1 - p).
    """
    import torch
    from torch.nn.functional import cross_entropy

    classes = scores.shape[1]
    chance = wrong / max(classes - 1, 1)
    if not 0 < wrong < 1 - chance:  # labels that are right, or that tell nothing
        return cross_entropy(scores, label)
    log_p = torch.log_softmax(scores, 1).gather(1, label[:, None])
    return -torch.logaddexp(math.log(1 - wrong - chance) + log_p, log_p.new_tensor(math.log(chance))).mean()


def _linear(network: nn.Sequential) -> list[nn.Linear]:
    from torch import nn

    return [layer for layer in network if isinstance(layer, nn.Linear)]


def _discriminator(widths: list[int], chance: torch.Generator) -> nn.Sequential:
    """Weights of a fixed length but for the last layer's: a unit that could grow would drown the noise it must bear."""
    from torch import nn
    from torch.nn.utils.parametrizations import weight_norm

    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        if layers:
            layers.append(nn.ReLU())
        # On "meta" torch skips its own start, which would draw from the global generator.
        layer = nn.Linear(inputs, outputs, device="meta").to_empty(device="cpu")
        nn.init.zeros_(layer.bias)
        nn.init.normal_(layer.weight, std=_SMALL, generator=chance)
        layers.append(weight_norm(layer))
        length = nn.init.ones_(layer.get_parameter(_LENGTH)).requires_grad_(False)
    length.requires_grad_(True)
    return nn.Sequential(*layers)


def _maker(widths: list[int], bounded: bool, chance: torch.Generator) -> nn.Sequential:
    """Uniform chance in, made-up inputs out: as pixels in [0, 1], or free for tables."""
    from torch import nn

    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        if layers:
            layers += [nn.BatchNorm1d(inputs, track_running_stats=False), nn.Softplus()]
        layer = nn.Linear(inputs, outputs, device="meta").to_empty(device="cpu")
        nn.init.zeros_(layer.bias)
        nn.init.normal_(layer.weight, std=1 / math.sqrt(inputs), generator=chance)
        layers.append(layer)
    return nn.Sequential(*layers, *([nn.Sigmoid()] if bounded else []))
