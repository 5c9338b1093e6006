"""The picture of a curve has every point, and says what its epsilons mean, also where it lies by itself."""

import re

from PIL import Image

from pate.evaluation.curve import curve
from pate.evaluation.measure import of
from pate.report.draw.curve import draw, errors, inlined, legend
from tests.evaluation.curves import made_up, ran, row


def test_the_page_reads_every_point_aloud():
    text = inlined(made_up())
    (told,) = re.findall(r"<desc[^>]*>(.*?)</desc>", text)
    for part in ("sums: 60.0% ± 1.0% at 0.100", "80.0% ± 1.0% at 1.000", "votes: 70.0% ± 1.0% at 0.998", "bound 99.0%"):
        assert part in told
    assert "always a 30.0%" in told


def test_it_follows_the_page_in_colours_and_names_its_lines():
    text = inlined(made_up())
    assert "var(--pate)" in text
    for word in ("votes", "sums", "bound 99.0%", "publishable epsilon"):
        assert f">{word}" in text.replace("\n", "")


def test_the_files_are_the_owners_and_say_so(tmp_path):
    files = draw(made_up(), tmp_path)
    assert [one.name for one in files] == ["curve.svg", "curve.png"]
    assert all(one.stat().st_mode & 0o077 == 0 for one in files)
    words = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", files[0].read_text()))
    for part in ("delta 1e-05", "one record replaced by nothing", "every data set", "nothing was released"):
        assert part in words
    assert Image.open(files[1]).size[0] > 1000


def test_the_same_curve_is_the_same_file(tmp_path):
    first, again = (draw(made_up(), tmp_path)[0].read_bytes() for _ in range(2))
    assert first == again


def test_errors_are_of_what_they_are():
    assert "from the test inputs: what chance there is in noise and training is not in it" in errors(made_up())
    several = curve("toy", [ran(1.0, n, row("sums", 0.8 + n / 10, 1.0)) for n in (0, 1)], [1.0], [0, 1])
    assert "mean over models of different seeds" in errors(several)
    assert "Small numbers" in legend(made_up())
    assert "Small numbers" not in legend(several)


def test_a_measure_that_is_no_share_is_drawn_as_it_is():
    one = ran(1.0, 0, row("sums", 0.8, 1.0), measure=of("log_loss", "asked for"))
    text = inlined(curve("toy", [one], [1.0], [0]))
    assert "log loss on the test set" in text
    assert "%" not in re.sub(r'(width|height|style|[xy])="[^"]*"', "", text.partition("<desc")[2])
