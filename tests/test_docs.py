"""What people read is whole and true: all that can be chosen is documented, generated pages are those of the code,
links lead somewhere, and the commands on the pages work."""

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from docs.generate import pages as generate
from docs.generate.accountants import ladder
from docs.generate.keys import GROUPS
from pate import errors
from pate.accounting import gaussian_sum, smooth_sensitivity
from pate.app.stages import stages
from pate.consensus.clusters import LaplacePlan
from pate.consensus.gaussian import GaussianPlan
from pate.dpsgd import accountant as dpsgd
from tests.page import QUICK, Reader, small, steps

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
FOLLOWED = [ROOT / "README.md", DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def reference(page: str) -> str:
    return (DOCS / "reference" / page).read_text()


# --- generated pages -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return generate.pages()


PAGES_OF_CODE = ["configuration.md", "stages.md", "accountants.md", "exit_codes.md", "methods.md", "results_json.md"]


@pytest.mark.parametrize("page", [*PAGES_OF_CODE, "results.schema.json"])
def test_a_generated_page_is_that_of_the_code(made, page):
    assert reference(page) == made[page], f"docs/reference/{page} is stale: make docs"


def test_every_page_of_the_reference_is_generated(made):
    assert {page.name for page in (DOCS / "reference").iterdir()} == made.keys()


# --- nothing is undocumented -----------------------------------------------------------------------------------------


def test_every_key_is_documented_with_a_meaning():
    """The keys come from Hydra and the YAML files, not from the generator."""
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    with initialize_config_module(version_base="1.3", config_module="pate.conf"):
        whole = OmegaConf.to_container(compose("config"))
    found = {key for key in whole if not isinstance(whole[key], dict)}
    found |= {f"{key}.{inner}" for key, inside in whole.items() if isinstance(inside, dict) for inner in inside}
    for file in (ROOT / "conf").glob("*/*.yaml"):
        if file.parent.name in GROUPS:
            found |= {f"{file.parent.name}.{key}" for key in yaml.safe_load(file.read_text()) if key != "defaults"}
    found = {key for key in found if not key.endswith("_target_")}
    rows = reference("configuration.md").splitlines()
    told = {key: row for row in rows for key in re.findall(r"^\| `([\w.]+)` ", row)}
    assert len(found) > 100
    assert found <= told.keys(), sorted(found - told.keys())
    assert not [key for key in found if re.search(r"\|  \|", told[key])]


@pytest.mark.parametrize("group", [folder.name for folder in (ROOT / "conf").iterdir() if folder.name[0] not in "_."])
def test_every_choice_of_every_group_is_documented(group):
    if not (ROOT / "conf" / group).is_dir() or group == "hydra":
        return
    page = reference("configuration.md")
    for choice in (ROOT / "conf" / group).glob("*.yaml"):
        assert re.search(rf"^\| `{choice.stem}` \| \w", page, re.M), f"{group}={choice.stem}"


def test_every_stage_is_documented():
    page = reference("stages.md")
    for name in generate.asked():
        assert re.search(rf"^(## `{name}`|\| `{name}` \| \w)", page, re.M), name
    for file in (ROOT / "pipelines").glob("[a-z]*.py"):
        if "@stage(" in file.read_text():
            assert f"## `{file.stem}`" in page, file.name


def test_every_crossing_of_the_barrier_is_documented():
    crossings = [(one.name, one.crosses) for some in stages().values() for one in some if one.crosses]
    assert {name for name, _ in crossings} == {"labels", "dpsgd", "consensus", "sanitise"}
    for name, mechanism in crossings:
        assert f"- **crosses**: {mechanism}" in reference("stages.md")
        assert f"| `{name}` | {mechanism} |" in reference("accountants.md")
        _, _, priced = reference("accountants.md").partition("## Accountants")
        assert name == "labels" or f"`{name}" in priced, f"no accountant of {name} is told"


PLANS = (GaussianPlan.least(1.0, 1e-5, None, 8.0, discrete=True), LaplacePlan(1e-5, None, 1.0, 1))


def test_every_accountant_a_run_knows_is_documented():
    """In the reference, and among those that the explanation tells apart."""
    page = reference("accountants.md")
    told = (DOCS / "explanation" / "accounting.md").read_text().split("## The ladder")[0]
    explained = set(re.findall(r"`([^`]+)`", told))
    of_votes = {one.accountant for several in ladder().values() for one in several}
    assert len(of_votes) >= 10
    names = of_votes | {dpsgd.ACCOUNTANT, smooth_sensitivity.ACCOUNTANT}
    names |= {one.accountant for plan in PLANS for one in plan.guarantees()}
    for name in names:
        assert re.search(rf"^\| `{name}` \| data-(in)?dependent \|", page, re.M), name
    theorems = {dpsgd.THEOREM, smooth_sensitivity.THEOREM}
    theorems |= {gaussian_sum.CONTINUOUS, gaussian_sum.ROUNDED, gaussian_sum.RENYI}
    theorems |= {one.theorem for plan in PLANS for one in plan.guarantees()}
    for theorem in theorems:
        assert f"| {theorem} |" in page
    assert names <= explained, f"docs/explanation/accounting.md does not name {names - explained}"


def test_every_mechanism_for_votes_is_documented_and_priced():
    priced = {file.stem for file in (ROOT / "conf" / "aggregator").glob("*.yaml")} - {"auto"}  # one of the others
    assert len(priced) >= 3
    for name in priced:
        assert reference("accountants.md").count(f"`{name}`") >= 2, name


def test_every_method_and_metric_is_documented():
    from pate.pipelines import methods

    from pate.evaluation.metrics import metrics

    page = reference("methods.md")
    for name in (*methods(), *metrics()):
        assert re.search(rf"^\| `{name}` \| \w", page, re.M), name


def test_every_exit_code_is_documented():
    page = reference("exit_codes.md")
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.PateError)]
    assert {one.exit_code for one in kinds} >= {1, 2, 3}
    for one in kinds:
        assert re.search(rf"^\| {one.exit_code} \|.*`{one.__name__}`", page, re.M), one.__name__
    for code in (0, 130):
        assert re.search(rf"^\| {code} \| \w", page, re.M)


# --- pages -----------------------------------------------------------------------------------------------------------


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_the_two_commands_of_the_readme_are_targets():
    makefile = (ROOT / "Makefile").read_text()
    (block,) = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    targets = re.findall(r"^make (\w+)", block, re.M)
    assert targets == ["run", "test"]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.M)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not link.startswith(("http:", "https:", "#")):
            assert (page.parent / link.partition("#")[0]).exists(), link


def test_every_page_can_be_reached_from_the_readme():
    seen, pending = set(), [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            links = re.findall(r"\]\(([^)\s#]+\.md)[^)]*\)", page.read_text())
            pending += [(page.parent / link).resolve() for link in links if not link.startswith("http")]
    assert set(DOCS.rglob("*.md")) - seen <= {DOCS / "README.md"}


def test_files_that_pages_name_exist():
    for page in (*DOCS.rglob("*.md"), ROOT / "SECURITY.md"):
        for name in re.findall(r"`((?:pate|tests|benchmarks|conf|pipelines)/[\w/]+\.(?:py|yaml))`", page.read_text()):
            assert (ROOT / name).exists(), f"{named(page)}: {name}"


def test_every_room_and_loose_module_is_told_of():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    rooms = {folder.name for folder in (ROOT / "pate").iterdir() if (folder / "__init__.py").is_file()}
    assert {
        room for row in re.findall(r"^\| (`\w+/`.*?) \|", page, re.M) for room in re.findall(r"(\w+)/", row)
    } == rooms
    (loose,) = re.findall(r"a module beside them \(([^)]+)\)", page)
    assert set(re.findall(r"\w+", loose)) == {file.stem for file in (ROOT / "pate").glob("[a-z]*.py")}


WORDS = (
    "zero-out adjacency", "REPLACE_SPECIAL", "data-dependent", "data-independent", "label noise rate",
    "test-time augmentation", "Renyi differential privacy", "privacy loss distribution", "privacy filter", "odometer",
    "noisy argmax", "LNMax", "GNMax", "Confident-GNMax", "teacher", "student", "moments accountant",
    "smooth sensitivity", "noise multiplier", "post-processing",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_the_fields_words_are_in_the_glossary(word):
    assert word.lower() in (DOCS / "glossary.md").read_text().lower()


def test_every_paper_the_glossary_cites_is_in_its_list():
    text, _, papers = (DOCS / "glossary.md").read_text().partition("## Papers")
    names = r"[A-Z][\w-]+(?:(?:, [A-Z]\w+)* & [A-Z]\w+| et al\.)? \d{4}"
    cited = {" ".join(one.split()) for one in re.findall(names.replace(" ", r"\s+"), text)}
    assert len(cited) > 20
    assert cited <= {" ".join(one.split()) for one in re.findall(names, papers)}


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert len(cited["references"]) >= 3


def test_the_package_takes_the_pages_along():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "pate.docs" in built["packages"]
    assert built["package-dir"]["pate.docs"] == "docs"
    assert "**/*.md" in built["package-data"]["pate.docs"]


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reader():
    one = Reader()
    yield one
    one.close()


LONGER = [pytest.param(page, marks=pytest.mark.slow) if "howto" in page.parts else page for page in FOLLOWED]


@pytest.mark.parametrize("page", LONGER, ids=named)
def test_a_page_can_be_followed(reader, page, tmp_path):
    """On small settings, so that it is quick: the words are those of the page."""
    assert list(steps(page.read_text())), "no command, no Python: is the block marked `console`?"
    reader.follow(page.read_text(), tmp_path, quick=True)


@pytest.mark.slow
@pytest.mark.skipif("PATE_FOLLOW" not in os.environ, reason="make follow: MNIST and Adult among it, tens of minutes")
@pytest.mark.parametrize("page", FOLLOWED, ids=named)
def test_a_page_can_be_followed_word_for_word(reader, page, tmp_path):
    reader.follow(page.read_text(), tmp_path, quick=False)


def test_a_command_that_fails_is_noticed(reader, tmp_path):
    with pytest.raises(AssertionError, match="no such choice"):
        reader.follow("```console\n$ pate stage=labels teachers=nobody\n```\n", tmp_path, quick=False)
    with pytest.raises(AssertionError, match="ended with 0"):
        reader.follow("```console\n$ pate --version\npate: refused\n```\n", tmp_path, quick=False)


def test_a_page_says_its_own_settings_before_the_small_ones():
    assert "labels.queries=8" not in small(["labels.queries=500"])
    usual = {f"{key}={value}" for key, value in QUICK.items() if key not in ("stage", "teachers.count")}
    assert set(small(["stage=labels"])) == usual
    assert "teachers.count=10" in small(["+experiment=adult"])  # which has hundreds
