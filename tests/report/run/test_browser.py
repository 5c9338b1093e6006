"""The page in a real browser, from disk and with the network off: headless Chromium (Debian's package)."""

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pate.accounting.guarantee import shown
from pate.accounting.ladder import price
from pate.aggregation.lnmax import LNMax
from pate.aggregation.selection import by_position
from pate.aggregation.votes import Votes
from pate.evaluation.measure import ACCURACY
from pate.report.run.page import owners_page
from pate.report.sweep.page import write_sweep_page
from pate.workspace.store import Store
from tests.evaluation.made_up import typed
from tests.report.run.test_page import BY, WORST
from tests.report.sweep.test_page import JOBS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("chromium") and shutil.which("chromedriver")),
        reason="no Chromium here: make test-slow installs chromium and chromium-driver where it may",
    ),
]
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, owners_run):
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get((owners_run[1] / "report.html").as_uri())
    return browser


SAME = {"epsilon": 1.0, "delta": 1e-5, "guarantee": "every data set", "relation": "one record replaced by nothing"}
TITLES = ["PATE", "DP-SGD", "consensus", "DP-SGD, worst case", "a method of my own"]
SCORED = {"epsilon_publishable": 1.0, "by_class": {"a": 0.9, "b": 0.9}, "confusion": [[9, 1], [1, 9]]}
FIVE = {"methods": [SAME | SCORED | {"name": f"m{place}", "accuracy": 0.9 + 0.001 * place} for place in range(5)]}


def owners(found, evidence=None):
    """A page of methods at one epsilon."""
    results = typed(found)
    rows = zip(results.methods, TITLES, "osD^v", strict=True)
    named = [replace(row, title=title, short=title, mark=mark) for row, title, mark in rows]
    return owners_page(replace(results, methods=named), evidence, None, Path("runs/one"))


def saved(folder, page):
    (folder / "page.html").write_text(page)
    return (folder / "page.html").as_uri()


def coloured(browser, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_of_methods_at_the_same_epsilon_do_not_overlap(browser, tmp_path, width, scheme):
    coloured(browser, scheme)
    resized(browser, width)
    browser.get(saved(tmp_path, owners(FIVE)))
    boxes = browser.execute_script(
        """
        return [...document.querySelectorAll('figure svg text')].map((t) => {
          const b = t.getBoundingClientRect();
          return [t.textContent.trim(), b.left, b.top, b.right, b.bottom];
        }).filter(([name]) => name);
        """
    )
    assert set(TITLES) <= {name for name, *_ in boxes}
    for at, (one, left, top, right, bottom) in enumerate(boxes):
        for other, *box in boxes[:at]:
            over = min(right, box[2]) - max(left, box[0]), min(bottom, box[3]) - max(top, box[1])
            assert min(over) < 2, f"{one} over {other}"
    coloured(browser, "light")


def test_a_mark_is_told_of_to_the_mouse_and_to_the_keyboard(browser, tmp_path):
    from selenium.webdriver import ActionChains, Keys

    resized(browser, 1400)
    browser.get(write_sweep_page(JOBS, None, ["releases: none"], tmp_path, "pate -m", [], ACCURACY).as_uri())
    tip, points = browser.find_element("id", "tip"), browser.find_elements("css selector", "svg .point")
    assert not tip.is_displayed()
    for at, reach in ((0, lambda one: ActionChains(browser).move_to_element(one).perform()), (1, focus(browser))):
        reach(points[at])
        assert tip.is_displayed()
        assert tip.text == points[at].get_attribute("aria-label")
        assert re.search(r"jobs? \d", tip.text)
        assert re.search(r"epsilon [\d.]+ for .* data set \(.*publishable\), delta 1e-05, one record", tip.text)
        inside = browser.execute_script(
            "const b = document.getElementById('tip').getBoundingClientRect();"
            "return b.left >= 0 && b.right <= document.documentElement.clientWidth && b.top >= 0"
        )
        assert inside
        ActionChains(browser).send_keys(Keys.ESCAPE).perform()
        assert not tip.is_displayed()


def focus(browser):
    return lambda one: browser.execute_script("arguments[0].focus()", one)


def test_the_page_of_a_sweep_uses_its_width(browser, tmp_path):
    resized(browser, 1400)
    browser.get(write_sweep_page(JOBS, None, ["releases: none"], tmp_path, "pate -m", [], ACCURACY).as_uri())
    widths = browser.execute_script(
        "const width = (q) => document.querySelector(q).getBoundingClientRect().width;"
        "return ['figure svg', '#frontier', 'table'].map(width)"
    )
    assert all(width > 1200 for width in widths)


def text(browser, name):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", name)


def move(browser, name, place):
    browser.execute_script(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('input', {bubbles: true}));",
        name,
        place,
    )


def resized(browser, width):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def test_it_opens_from_disk_without_an_error_or_a_request(opened):
    assert opened.execute_script("return document.readyState") == "complete"
    assert [entry for entry in opened.get_log("browser") if entry["level"] != "INFO"] == []
    asked = []
    for entry in opened.get_log("performance"):
        event = json.loads(entry["message"])["message"]
        if event["method"] == "Network.requestWillBeSent":
            asked.append(event["params"]["request"]["url"])
    assert asked
    assert all(url.startswith(("file:///", "data:")) for url in asked)


def test_the_sliders_show_what_the_accountants_say(opened, owners_run):
    found, place = owners_run
    store = Store(place.parent.parent)
    key = found["stages"]["votes"]["key"]
    votes = store.read("private", "votes", key, "votes", Votes)
    assert text(opened, "own") == shown(found["methods"][0]["epsilon"])
    assert text(opened, "open") == shown(found["methods"][0]["epsilon_publishable"])
    before = text(opened, "own")
    for noise, queries, delta in ((0, 0, 0), (5, 2, 2), (2, 4, 1)):
        for name, at in (("noise", noise), ("queries", queries), ("delta", delta)):
            move(opened, name, at)
        gamma = float(text(opened, "noise-out").split(" = ")[1])
        k, d = int(text(opened, "queries-out")), float(text(opened, "delta-out"))
        asked = by_position("random", k, len(votes.counts), 0).index
        costs = price(LNMax(gamma), votes.counts[asked], d, votes.predictions[:, asked])
        assert text(opened, "own") == shown(costs.best.epsilon) != before
        assert text(opened, "open") == shown(costs.publishable.epsilon)
        names = opened.execute_script(
            "return [...document.querySelectorAll('.bars tr')]"
            ".map((row) => [row.cells[0].textContent, row.cells[2].textContent])"
        )
        assert dict(names) == {one.accountant: shown(one.epsilon) for one in costs}


def test_the_command_is_copied_and_is_the_one_shown(opened):
    opened.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    move(opened, "noise", 0)
    move(opened, "queries", 1)
    command = text(opened, "command")
    opened.find_element("css selector", "button[data-copy=command]").click()
    copied = opened.execute_async_script(
        "const done = arguments[0]; window.focus();"
        "navigator.clipboard.readText().then(done, (error) => done('failed: ' + error))"
    )
    assert copied == command
    words = shlex.split(command)
    assert words[0] == "pate"
    assert f"aggregator.gamma={text(opened, 'noise-out').split(' = ')[1]}" in words
    assert f"labels.queries={text(opened, 'queries-out')}" in words
    assert "teachers=ridge" in words  # the run's own
    assert sum(word.startswith("aggregator.gamma=") for word in words) == 1


def test_the_copied_command_costs_what_the_page_says(opened, owners_run, pate):
    move(opened, "noise", 1)
    move(opened, "queries", 2)
    move(opened, "delta", 0)
    epsilon = text(opened, "own")
    words = shlex.split(text(opened, "command"))[1:]
    done = pate(*words, "stage=account", f"workspace={owners_run[1].parent.parent}")
    assert done.returncode == 0, done.stderr
    assert re.search(rf"epsilon {re.escape(epsilon)} ", done.stderr), done.stderr


def test_the_theme_switches(opened):
    def colours():
        return opened.execute_script(
            "const of = (q) => getComputedStyle(document.querySelector(q));"
            "return [of('body').backgroundColor, of('body').color, of('figure svg text').fill]"
        )

    light = colours()
    opened.find_element("id", "theme").click()
    dark = colours()
    assert all(one != other for one, other in zip(light, dark, strict=True))
    opened.find_element("id", "theme").click()
    assert colours() == light


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("page", ["owner", "public", "sweep", "table"])
def test_nothing_overflows(opened, width, page, public_run, tmp_path):
    if page == "public":
        opened.get(next((public_run[1].parent.parent / "published").glob("*.html")).as_uri())
    if page == "sweep":
        opened.get(write_sweep_page(JOBS, None, ["releases: none"], tmp_path, "pate -m", [], ACCURACY).as_uri())
    if page == "table":
        opened.get(saved(tmp_path, owners(FIVE | {"by": BY | {"methods": {"m0": BY["methods"]["pate"]}}}, WORST)))
    resized(opened, width)
    opened.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    over = opened.execute_script(
        """
        const inScroll = (e) => e.closest('.scroll, pre, .visually-hidden');
        const edge = document.documentElement.clientWidth;
        return [document.documentElement.scrollWidth - edge,
                [...document.querySelectorAll('main *, header *, footer *')]
                  .filter((e) => !inScroll(e) && !e.closest('svg') && e.getBoundingClientRect().right > edge + 1)
                  .map((e) => e.tagName + '.' + e.className)];
        """
    )
    assert over == [0, []]
    crossed = opened.execute_script(  # text beyond the box it stands in
        """
        return [...document.querySelectorAll('h1, h2, h3, p, li, td, th, .big, output, button')]
          .filter((e) => !e.closest('.scroll, .visually-hidden') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
          .map((e) => e.tagName + ': ' + e.textContent.slice(0, 40));
        """
    )
    assert crossed == []
    beyond = opened.execute_script(  # words of a picture beyond the picture
        """
        return [...document.querySelectorAll('figure svg')].flatMap((svg) => {
          const box = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter((t) => {
            const b = t.getBoundingClientRect();
            return b.right > box.right + 2 || b.left < box.left - 2;
          }).map((t) => t.textContent);
        });
        """
    )
    assert beyond == []


def test_it_can_be_used_without_a_mouse_and_without_script(opened):
    labelled = opened.execute_script(
        "return [...document.querySelectorAll('input')].every((i) => document.querySelector(`label[for=${i.id}]`))"
    )
    assert labelled
    assert opened.execute_script("return document.querySelectorAll('h1').length") == 1
