"""The page stands alone, says what belongs to every epsilon, and shows nobody what is not theirs."""

import copy
import json
import re
import stat
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from pate.evaluation.evidence import Evidence
from pate.noise import SEEDED
from pate.report.run import page
from pate.report.run.page import owners_page, public_page
from pate.report.run.panel import Panel
from tests.evaluation.made_up import typed


class Seen(HTMLParser):
    """What an HTML parser makes of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.words = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named[key] for key in ("src", "href", "xlink:href", "action", "data") if key in named]
        self.open.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def read(place):
    return (place / "report.html").read_text()


def test_it_stands_alone(owners_run):
    _, place = owners_run
    text = read(place)
    page = Seen(text)
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert len(text) < 3_000_000
    assert stat.S_IMODE((place / "report.html").stat().st_mode) == 0o600


def test_every_picture_has_words(owners_run):
    text = read(owners_run[1])
    pictures = re.findall(r"<svg viewBox.*?</svg>", text, flags=re.S)
    assert len(pictures) == 4
    for picture in pictures:
        title, words = (re.search(rf"<{tag} [^>]*>(.*?)</{tag}>", picture)[1] for tag in ("title", "desc"))
        assert len(title) > 10
        assert len(words) > 40
        assert "#0101" not in picture  # a colour that no theme would change
    assert text.count('<img src="data:') == text.count('alt="a test image of')


def test_it_shows_both_epsilons_dpsgd_at_both_and_the_ledger(owners_run):
    found, place = owners_run
    text = read(place)
    rows = {row["name"]: row for row in found["methods"]}
    assert set(rows) == {"pate", "dpsgd", "dpsgd_publishable", "consensus", "nonprivate"}
    assert rows["dpsgd"]["epsilon"] == pytest.approx(rows["pate"]["epsilon"], rel=1e-3)
    assert rows["dpsgd_publishable"]["epsilon"] == pytest.approx(rows["pate"]["epsilon_publishable"], rel=1e-3)
    assert rows["dpsgd_publishable"]["epsilon_publishable"] is None  # kept by the owner: not in the ledger
    assert "this data set" in text
    assert "Neighbours: one record replaced by nothing (zero-out adjacency). Epsilons are rounded up." in text
    assert "This page is the owner" in text
    assert found["ledger"]["releases"] == 1


def test_seeded_noise_is_said_first(seeded_run):
    _, place = seeded_run
    banners = re.findall(r'class="banner"[^>]*>([^<]*)', read(place))
    assert SEEDED in banners[0]
    assert "Nothing of this run may be published" in read(place)


def test_names_are_text_and_not_markup(owners_run):
    found = copy.deepcopy(owners_run[0])
    hostile = '<script>alert("x")</script>'
    found["config"]["dataset"]["name"] = hostile
    found["notes"].append(hostile)
    for row in found["methods"]:
        row["by_class"] = {hostile + name: share for name, share in row["by_class"].items()}
    mistakes = [{"truth": hostile, "answer": hostile, "confidence": 0.5}]
    text = owners_page(
        typed(found), Evidence(mistakes=mistakes, images=np.zeros((1, 4, 4), np.uint8)), None, Path("runs/one")
    )
    assert hostile not in text
    assert Seen(text).open.count("script") == 1  # the page's own


def test_nothing_in_the_panels_data_ends_its_element(owners_run):
    data = re.search(r'id="panel-data">(.*?)</script>', read(owners_run[1]), flags=re.S)[1]
    assert json.loads(data)["parameter"] == "gamma"
    assert "<" not in data


# -- the public page ---------------------------------------------------------------------------------


def test_the_public_page_is_where_what_leaves_is_put(public_run):
    found, place = public_run
    (page,) = (place.parent.parent / "published").iterdir()
    assert stat.S_IMODE(page.stat().st_mode) == 0o644
    text = page.read_text()
    assert "What would it cost" not in text
    assert "votes between" not in text
    assert "without privacy" not in text
    assert "workspace" not in text
    for row in found["methods"]:
        if row["name"] in ("pate", "dpsgd"):
            assert f"{row['epsilon_publishable']:.1f}"[:3] in text


CANARY = 12345.678  # no share of test inputs looks like it


def planted(found, allowed=()):
    """The same results with a canary in place of every number that is not among `allowed` paths."""

    def plant(value, path):
        if path in allowed:
            return value
        if isinstance(value, dict):
            return {key: plant(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [plant(inner, path) for inner in value]
        return CANARY if isinstance(value, float) else value

    return plant(found, ())


def told(guarantees):
    """Those that may leave; the others with the canary."""
    return [one if one["publishable"] else one | {"epsilon": CANARY} for one in guarantees]


def test_no_number_of_the_owners_reaches_the_public_page(public_run):
    """Every figure of the results is the canary, but those that were released or are computed from what was."""
    found = copy.deepcopy(public_run[0])
    clean = copy.deepcopy(found)
    dirty = planted(found)
    keep = ("config", "versions", "notes", "public_notes", "command", "overrides")
    dirty |= {key: clean[key] for key in keep}
    for ours, theirs in zip(dirty["methods"], clean["methods"], strict=True):
        released = ("metrics", "standard_errors", "leads", "by_class", "calibration", "confusion")
        kept = released if theirs["epsilon_publishable"] is not None else ()
        ours |= {key: theirs[key] for key in kept} | {"guarantees": told(theirs["guarantees"])}
    over = {row["name"] for row in clean["methods"] if row["epsilon_publishable"] is not None}
    leads = {name: by if name in over else planted(by) for name, by in clean["baseline"]["leads"].items()}
    dirty["baseline"] = clean["baseline"] | {"leads": leads}
    dirty["pate"] |= {"label_accuracy": clean["pate"]["label_accuracy"]}
    dirty["pate"]["accountants"] = told(clean["pate"]["accountants"])
    dirty["ledger"] = clean["ledger"] | {"budget": None, "plans": []}
    dirty["ledger"]["this_data_set"] = told([clean["ledger"]["this_data_set"]])[0]
    evidence = Evidence(
        gaps={"median": CANARY}, mistakes=[{"truth": "CANARY", "answer": "CANARY", "confidence": CANARY}],
        images=np.full((1, 4, 4), 77, np.uint8),
    )  # fmt: skip
    text = public_page(typed(dirty), evidence, test_public=False)
    for trace in ("12345", "12,345", "CANARY", "data:image"):
        assert trace not in text


def test_a_note_the_ledger_gave_the_owner_stays_with_the_owner(public_run):
    found = copy.deepcopy(public_run[0])
    found["notes"].append("the private data of account clinic changed")
    text = public_page(typed(found), None, test_public=True)
    assert "clinic" not in text


def test_test_images_are_shown_only_where_they_are_public(public_run):
    evidence = Evidence(
        mistakes=[{"truth": "3", "answer": "8", "confidence": 0.9}], images=np.zeros((1, 8, 8), np.uint8), whose="pate"
    )
    assert "data:image" in public_page(typed(public_run[0]), evidence, test_public=True)
    assert "data:image" not in public_page(typed(public_run[0]), evidence, test_public=False)


WORST = Evidence(
    mistakes=[{"truth": "ill", "answer": "well", "confidence": 0.99, "row": [["age", "41"], ["town", "<b>Bern"]]}],
    whose="pate", wrong=2665, scored=4281, columns=30,
)  # fmt: skip


def test_rows_it_gets_most_wrong_stand_with_their_cells_and_how_many_there_are(public_run):
    text = owners_page(typed(public_run[0]), WORST, None, Path("runs/one"))
    assert "2665 of 4281 test rows are mistaken" in text
    assert "The first 2 of 30 columns are shown" in text
    assert '<span class="cell"><span>town</span> &lt;b&gt;Bern</span>' in text
    assert "No mistakes" not in text
    assert "Bern" in public_page(typed(public_run[0]), WORST, test_public=True)
    assert "Bern" not in public_page(typed(public_run[0]), WORST, test_public=False)


def test_rows_of_a_model_that_stays_are_on_no_public_page(public_run):
    kept = replace(WORST, whose="nonprivate")
    assert "Bern" not in public_page(typed(public_run[0]), kept, test_public=True)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        (None, "no model was asked about test inputs"),
        (Evidence(wrong=0, scored=50), "No mistakes: all 50 test inputs are recognised."),
        (Evidence(wrong=3, scored=50), "3 of 50 test inputs are mistaken."),
    ],
)
def test_no_mistakes_are_said_to_be_none_only_where_there_are_none(owners_run, evidence, said):
    assert said in owners_page(typed(owners_run[0]), evidence, None, Path("runs/one"))


BY = {
    "column": "sex", "groups": ["F", "<i>M"], "counts": [30, 10],
    "methods": {"pate": [{"error": 0.1, "standard_error": 0.05}, {"error": 0.25, "standard_error": 0.13,
                "balanced_accuracy": 0.7, "balanced_standard_error": 0.1}]},
}  # fmt: skip


def test_who_pays_stands_with_errors_and_counts_on_the_owners_page_alone(public_run):
    found = typed(public_run[0] | {"by": BY})
    text = owners_page(found, None, None, Path("runs/one"))
    part = text.split('id="by-column"')[1].split("</section>")[0]
    wrong, balanced = part.split("Balanced accuracy</span>")
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", one) for one in (wrong, balanced)]
    assert cells == [
        ["F", "30", "10.0% ± 5.0%", "&lt;i&gt;M", "10", "25.0% ± 13.0%"],
        ["F", "30", "-", "&lt;i&gt;M", "10", "70.0% ± 10.0%"],
    ]
    assert "Who pays" not in public_page(found, None, test_public=True)


def test_accountants_are_explained_where_they_are_listed(owners_run, public_run):
    text = read(owners_run[1])
    listed = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", text)
    assert dict(listed)["teacher_resolved"].startswith("the exact law, following each teacher")
    assert {name for name, _ in listed} == set(owners_run[0]["pate"]["epsilon"])
    (page,) = (public_run[1].parent.parent / "published").glob("*.html")
    assert re.search(r"<dt>basic</dt><dd>adds up", page.read_text())
    assert "teacher_resolved" not in page.read_text()


def test_seeded_noise_does_not_leave(pate):
    done = pate("stage=report", "report.audience=public", "noise.seed=1")
    assert done.returncode == 2
    assert SEEDED in done.stderr


def test_dpsgd_alone_has_a_page(small_run):
    found, place = small_run("dataset.public=0", "dpsgd.epsilon=3")
    assert [row["name"] for row in found["methods"]] == ["dpsgd"]
    assert "On digits, DP-SGD has an accuracy of" in read(place)


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides",
    [
        ("labels.selection=active", "labels.rounds=2"),
        ("aggregator=confident_gnmax", "aggregator.threshold=10", "aggregator.threshold_sigma=6", "aggregator.sigma=4"),
        ("labels.selection=medoids", "aggregator.noise=continuous"),
    ],
)
def test_other_ways_to_ask_have_a_page(small_run, overrides):
    found, place = small_run(*overrides)
    assert "What would it cost?" in read(place)
    assert found["methods"][0]["name"] == "pate"


def test_what_a_method_has_to_show_is_the_owners(owners_run, public_run):
    """What a consensus would cost stands as a table on the owner's page, epsilon by epsilon, and on no other."""
    found, place = owners_run
    (table,) = found["tables"]
    assert table["title"] == "What would consensus cost?"
    section = re.search(rf"<h2 id=\"table-0\">{re.escape(table['title'])}</h2>.*?</section>", read(place), re.S)[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", section, re.S)][1:]
    assert [float(row[0]) for row in rows] == [row[0] for row in table["rows"]]
    assert all(len(row) == len(table["columns"]) for row in rows)
    assert public_run[0]["tables"]
    (page,) = (public_run[1].parent.parent / "published").glob("*.html")
    assert "What would consensus cost?" not in page.read_text()


@pytest.mark.parametrize(
    ("command", "epsilon", "words"),
    [("pate epsilon=1 n_jobs=1", 1.0, ["n_jobs=1", "aggregator=gnmax"]),
     ("pate epsilon=1 aggregator=gnmax", 1.0, ["aggregator=gnmax"]),
     ("pate n_jobs=1", None, ["n_jobs=1"])],
)  # fmt: skip
def test_the_panels_command_names_the_mechanism_that_was_planned_and_no_epsilon(command, epsilon, words):
    chosen = {"_target_": "pate.aggregation.gnmax.GNMax", "sigma": 5.0}
    found = replace(typed({"methods": []}), command=command, config={"aggregator": chosen, "epsilon": epsilon})
    panel = Panel("sigma", [5.0], [10], [1e-5], [], [[[[]]]], [[None]], [[None]], [0, 0, 0], "", 5, True)
    data = json.loads(page._data(found, panel))
    assert [word for word in data["command"] if word.split("=")[0] not in data["replaced"]] == words
