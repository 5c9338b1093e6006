"""The page of a sweep: what failed, what no configuration beats, what was released."""

import re

import pytest

from pate.evaluation.measure import ACCURACY
from pate.report.sweep.jobs import Job
from pate.report.sweep.page import write_sweep_page
from pate.report.sweep.unfinished import Unfinished
from tests.evaluation.made_up import typed

RELATION = "one record replaced by nothing"


def method(name, accuracy, epsilon, guarantee, published=None):
    return {
        "name": name, "accuracy": accuracy, "epsilon": epsilon, "guarantee": guarantee, "delta": 1e-5,
        "relation": RELATION, "epsilon_publishable": published,
    }  # fmt: skip


def job(number, gamma, seed, accuracy, epsilon):
    pate = dict.fromkeys(("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"))
    found = {
        "methods": [
            method("pate", accuracy, epsilon, "this data set", 4 * epsilon),
            method("dpsgd", accuracy - 0.1, epsilon, "every data set"),
        ],
        "pate": pate | {"accountants": []}, "stages": {}, "notes": ["a note"], "config": {"dataset": {"name": "toy"}},
    }  # fmt: skip
    return Job(str(number), {"aggregator.gamma": gamma, "seed": seed}, typed(found))


FAILED = Unfinished("the <disk> is full", "pate aggregator.gamma=0.8")
JOBS = [
    job(0, "0.1", "0", 0.80, 1.0), job(1, "0.1", "1", 0.84, 1.1), job(2, "0.2", "0", 0.90, 2.0),
    job(3, "0.2", "1", 0.92, 2.0), job(4, "0.4", "0", 0.85, 3.0), job(5, "0.4", "1", 0.85, 3.0),
    Job("6", {"aggregator.gamma": "0.8", "seed": "0"}, None, FAILED),
]  # fmt: skip


@pytest.fixture
def page(tmp_path):
    def made(epsilon=None):
        file = write_sweep_page(
            JOBS, epsilon, ["releases: 6 by this sweep"], tmp_path, "pate -m x", ["a note of all"], ACCURACY
        )
        return file.read_text()

    return made


def test_it_names_what_failed_and_how_to_resume_it(page):
    text = page()
    assert "1 of 7 jobs did not finish" in text
    assert "the &lt;disk&gt; is full" in text
    assert "pate aggregator.gamma=0.8" in text


def test_the_most_accurate_of_each_kind_with_its_largest_epsilon(page):
    sentences = re.findall(r'class="lead">([^<]*)', page())
    assert sentences[0].startswith("PATE, for every data set (publishable): 91.0% ± 1.0% at epsilon 8.000")
    assert any(
        "for this data set (the owner&#39;s, not publishable): 91.0% ± 1.0% at epsilon 2.000" in one
        for one in sentences
    )


def test_the_best_within_an_epsilon_is_asked_of_each_kind_by_itself(page):
    sentences = re.findall(r'class="lead">([^<]*)', page(epsilon=1.5))
    assert "none costs so little; the least is 4.400" in sentences[0]
    assert any("82.0% ± 2.0% at epsilon 1.100, with aggregator.gamma=0.1" in one for one in sentences)


def test_what_is_beaten_is_not_on_the_frontier(page):
    part = page().split('id="frontier"')[1].split("</section>")[0]
    assert "<td>0.2</td>" in part
    assert "<td>0.4</td>" not in part


def test_what_holds_of_a_kind_is_said_once_above_its_rows(page):
    part = page().split('id="frontier"')[1].split("</section>")[0]
    headings = re.findall(r'<th class="kind"[^>]*><span>([^<]*)', part)
    assert len(headings) == len(set(headings)) == 3
    assert all("delta 1e-05" in one and RELATION in one and "publishable" in one for one in headings)
    assert part.count(RELATION) == 3


def test_a_mark_tells_its_jobs_its_settings_and_all_that_belongs_to_its_epsilon(page):
    told = re.findall(r'class="point" tabindex="0" aria-label="([^"]*)"', page())
    (one,) = (words for words in told if words.startswith("PATE, jobs 2, 3:") and "every data set" in words)
    assert one.split("\n") == [
        "PATE, jobs 2, 3: aggregator.gamma=0.2",
        "accuracy 91.0% ± 1.0%",
        f"epsilon 8.000 for every data set (publishable), delta 1e-05, {RELATION}",
    ]
    assert len(told) == 9


def test_the_best_within_is_marked(page):
    part = page(epsilon=1.5).split('id="frontier"')[1].split("</section>")[0]
    assert part.count("best within the epsilon") == 2


def test_it_tells_the_releases_and_warns_of_tuning(page):
    text = page()
    assert "releases: 6 by this sweep" in text
    assert "is tuning: no epsilon covers it" in text
    assert "a note of all" in text
    assert RELATION in text


def test_without_scores_there_is_no_page(tmp_path):
    assert write_sweep_page(JOBS[-1:], None, [], tmp_path, "", [], ACCURACY) is None
    assert not list(tmp_path.iterdir())
