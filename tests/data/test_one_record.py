"""One record touches only itself: whatever is done to it, no other record's encoding changes by a bit, nothing public
does, and at most one teacher votes differently (two, where the record is said to be somebody else's)."""

import contextlib
import datetime as dt
import decimal
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pate.data.partition import assign, assign_groups
from pate.errors import ConfigError
from pate.teachers.ensemble import train
from pate.teachers.ridge import Ridge
from tests.data.own_files import arrays

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

PRIVATE, PUBLIC, TEST, TEACHERS = 24, 16, 8, 6
MANY = int(os.environ.get("PATE_EXAMPLES", "25"))  # of each property; make fuzz asks for more
FEW = settings(max_examples=MANY, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
DAY = dt.date(2020, 2, 28)
NOON = dt.datetime(2020, 2, 28, 12, 30)
# Of every Arrow type: its values, and what else a cell may hold.
TYPES = {
    "int8": (pa.int8(), [1, 2, 3, 4], [127, -128]),
    "int16": (pa.int16(), [1, 2, 3, 4], [32767]),
    "int32": (pa.int32(), [1, 2, 3, 4], [2**31 - 1]),
    "int64": (pa.int64(), [1, 2, 3, 2**53 + 1], [2**63 - 1, -(2**63)]),
    "uint8": (pa.uint8(), [1, 2, 3, 4], [255]),
    "uint16": (pa.uint16(), [1, 2, 3, 4], [65535]),
    "uint32": (pa.uint32(), [1, 2, 3, 4], [2**32 - 1]),
    "uint64": (pa.uint64(), [1, 2, 3, 2**53 + 1], [2**64 - 1]),
    "float16": (pa.float16(), np.float16([0.5, 1, 2, 3]).tolist(), [np.nan, np.inf]),
    "float32": (pa.float32(), [0.5, 1.0, 2.0, 3.0], [np.nan, np.inf, 3e38]),
    "float64": (pa.float64(), [0.5, 1.0, 2.0, 3.0], [np.nan, -np.inf, 1e308, 0.1]),
    "bool": (pa.bool_(), [True, False, True, True], []),
    "string": (pa.string(), ["a", "b", "c", "1.0"], ["", "new", "nan", "inf", "x" * 300, "2020-01-01", "true"]),
    "numbers": (pa.string(), ["1", "2", "3.5", "4"], ["", "new", "nan", "1e400", "2020-01-01", "true"]),
    "dates": (pa.string(), ["2020-01-01", "2020-01-02", "2020/3/4", ""], ["new", "31.12.2020", "17", "2020-02-30"]),
    "large_string": (pa.large_string(), ["a", "b", "a", "b"], ["", "c"]),
    "binary": (pa.binary(), [b"a", b"b", b"a", b"c"], [b"", b"\xff"]),
    "fixed": (pa.binary(2), [b"aa", b"bb", b"aa", b"cc"], [b"zz"]),
    "decimal128": (pa.decimal128(9, 2), [decimal.Decimal(n) for n in ("1.50", "2.00", "3.25", "4.00")], []),
    "decimal256": (pa.decimal256(40, 2), [decimal.Decimal(n) for n in ("1.50", "2.00", "3.25", "4.00")], []),
    "date32": (pa.date32(), [DAY, DAY.replace(day=1), DAY, DAY], [dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    "date64": (pa.date64(), [DAY, DAY.replace(day=1), DAY, DAY], [dt.date(1, 1, 1)]),
    "timestamp[s]": (pa.timestamp("s"), [NOON, NOON.replace(hour=1), NOON, NOON], [dt.datetime(1, 1, 1)]),
    "timestamp[ns]": (pa.timestamp("ns"), [NOON, NOON.replace(hour=1), NOON, NOON], []),
    "timestamp[us, tz]": (pa.timestamp("us", "Europe/Zurich"), [NOON, NOON.replace(hour=1), NOON, NOON], []),
    "time32": (pa.time32("ms"), [dt.time(1), dt.time(2, 30), dt.time(3), dt.time(4)], [dt.time(23, 59, 59)]),
    "time64": (pa.time64("ns"), [dt.time(1), dt.time(2, 30), dt.time(3), dt.time(4)], []),
    "duration": (pa.duration("ms"), [dt.timedelta(hours=n) for n in (1, 2, 3, 4)], [dt.timedelta(days=9999)]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["a", "b", "a", "b"], ["c", ""]),
    "null": (pa.null(), [None] * 4, []),
}  # fmt: skip
WHO = [f"p{n}" for n in range(PRIVATE // 2)] * 2


def columns(rows, seed):
    """Every type, each value on several rows."""
    order = np.random.default_rng(seed).permutation(rows) % 4
    return {
        name: [values[(i + place) % 4] for i in order] for place, (name, (_, values, _)) in enumerate(TYPES.items())
    }


def write_parquet(path, table, labels, who=None, as_text=()):
    kinds = {name: pa.array(cells, TYPES[name][0]) for name, cells in table.items()}
    kinds |= {name: kinds[name].cast(pa.string()) for name in as_text}
    kinds |= {"y": pa.array(labels, pa.string())} | ({} if who is None else {"who": pa.array(who, pa.string())})
    parquet.write_table(pa.table(kinds), path)


def as_csv(cell):
    return "" if cell is None else cell.decode("latin-1") if isinstance(cell, bytes) else str(cell)


def write_csv(path, table, labels, who=None):
    import csv

    table = table | {"y": labels} | ({} if who is None else {"who": who})
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(table)
        lines.writerows(zip(*([as_csv(cell) for cell in cells] for cells in table.values()), strict=True))


def shown(split):
    """All that is public of a split."""
    public = split.public
    return public.x.tobytes(), public.x.dtype, public.columns, public.classes, split.notes


def votes(split):
    private = split.private
    groups = private.group
    assignment = assign(len(private.y), TEACHERS, 0) if groups is None else assign_groups(groups, TEACHERS, 0)
    x = private.x.reshape(len(private.x), -1).astype(np.float32)
    asked = split.public.x.reshape(len(split.public.x), -1).astype(np.float32)
    return train(Ridge(count=TEACHERS), x, private.y, assignment, asked, len(private.classes), seed=0, n_jobs=1)


def touches_only_itself(before, after, record, at_most=1):
    """Compare two splits that differ in one private record."""
    others = np.arange(len(before.private.y)) != record
    assert after.private.x.dtype == before.private.x.dtype
    assert after.private.x[others].tobytes() == before.private.x[others].tobytes()
    assert (after.private.y[others] == before.private.y[others]).all()
    assert shown(after) == shown(before)
    assert after.test.x.tobytes() == before.test.x.tobytes()
    assert (votes(before) != votes(after)).any(axis=1).sum() <= at_most


LABELS = ["0", "1"]
CLASSES = {"label": "y", "classes": LABELS}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder in each format, as it was, and the split it gives with and without groups."""
    folders = {}
    for form in ("csv", "parquet"):
        folder = tmp_path_factory.mktemp(form)
        write = {"csv": write_csv, "parquet": write_parquet}[form]
        labels = (LABELS * PRIVATE)[:PRIVATE]
        write(folder / f"private.{form}", columns(PRIVATE, 0), labels, WHO)
        write(
            folder / f"public.{form}", columns(PUBLIC, 1), (LABELS * PUBLIC)[:PUBLIC], [f"q{n}" for n in range(PUBLIC)]
        )
        write(folder / f"test.{form}", columns(TEST, 2), (LABELS * TEST)[:TEST], [f"t{n}" for n in range(TEST)])
        folders[form] = (
            folder,
            write,
            arrays(folder, drop=["who"], **CLASSES).load(),
            arrays(folder, **CLASSES).load("who"),
        )
    return folders


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(("name", "kind"), [("smokes", pa.bool_()), ("code", pa.int64())])
def test_a_null_re_types_no_column(tmp_path, name, kind, single):
    """The fault that was found: one null made a bool column text, and a column of codes fractions."""
    cells = {"smokes": [True, False], "code": [10, 20]}[name]
    sizes = {"private": 40, "public": 40, "test": 20} if single else {}
    order = np.random.default_rng(0).permutation(100)  # of a single file

    def load(null):
        table = {name: cells * 50, "town": ["Bern", "Bern", "Oslo", "Oslo"] * 25, "y": LABELS * 50}
        if null:
            table[name][order[0] if single else 0] = None
        table = pa.table({one: pa.array(column, kind if one == name else None) for one, column in table.items()})
        sides = (
            {"all": slice(0, 100)}
            if single
            else {"private": slice(0, 40), "public": slice(40, 80), "test": slice(80, 100)}
        )
        for side, rows in sides.items():
            parquet.write_table(table.slice(rows.start, rows.stop - rows.start), tmp_path / f"{side}.parquet")
        return arrays(tmp_path / "all.parquet" if single else tmp_path, **CLASSES, **sizes).load()

    touches_only_itself(load(null=False), load(null=True), 0)


changes = st.sampled_from(list(TYPES)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from([None, *TYPES[name][1], *TYPES[name][2]]))
)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@given(record=st.integers(0, PRIVATE - 1), change=changes, label=st.sampled_from(LABELS), groups=st.booleans())
@FEW
def test_a_cell_or_label_of_a_table_touches_its_record_alone(world, form, record, change, label, groups):
    folder, write, alone, grouped = world[form]
    name, cell = change
    table, labels = columns(PRIVATE, 0), (LABELS * PRIVATE)[:PRIVATE]
    table[name][record], labels[record] = cell, label
    write(folder / f"private.{form}", table, labels, WHO)
    if groups:
        after, before = arrays(folder, **CLASSES).load("who"), grouped
    else:
        after, before = arrays(folder, drop=["who"], **CLASSES).load(), alone
    touches_only_itself(before, after, record)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@given(record=st.integers(0, PRIVATE - 1), who=st.sampled_from(["p0", "p5", "nobody else", "7"]))
@FEW
def test_another_owner_touches_two_teachers_at_most(world, form, record, who):
    folder, write, _, before = world[form]
    owners = [*WHO]
    owners[record] = who
    write(folder / f"private.{form}", columns(PRIVATE, 0), (LABELS * PRIVATE)[:PRIVATE], owners)
    touches_only_itself(before, arrays(folder, **CLASSES).load("who"), record, at_most=2)


RETYPED = [
    name for name in TYPES if name not in ("binary", "fixed", "duration", "null", "timestamp[us, tz]", "float16")
]


@given(name=st.sampled_from(RETYPED), record=st.integers(0, PRIVATE - 1))
@FEW
def test_a_text_in_one_cell_stored_as_a_column_of_text_touches_its_record_alone(world, name, record):
    """What writes a parquet file turns a column to text because of one cell: the others still mean what they meant."""
    folder, _, before, _ = world["parquet"]
    table = columns(PRIVATE, 0)
    kinds = {one: pa.array(cells, TYPES[one][0]) for one, cells in table.items()}
    texts = kinds[name].cast(pa.string()).to_pylist()
    texts[record] = "unknown"
    kinds |= {name: pa.array(texts, pa.string()), "y": pa.array((LABELS * PRIVATE)[:PRIVATE])}
    parquet.write_table(pa.table(kinds | {"who": pa.array(WHO)}), folder / "private.parquet")
    touches_only_itself(before, arrays(folder, drop=["who"], **CLASSES).load(), record)


@pytest.mark.parametrize("kind", ["numeric", "category"])
@given(name=st.sampled_from(["int8", "int32", "uint16"]), record=st.integers(0, PRIVATE - 1))
@FEW
def test_an_empty_cell_that_turns_whole_numbers_to_fractions_touches_its_record_alone(world, kind, name, record):
    """pandas stores whole numbers as fractions where one is missing."""
    folder, write, _, _ = world["parquet"]
    labels = (LABELS * PRIVATE)[:PRIVATE]
    write(folder / "private.parquet", columns(PRIVATE, 0), labels, WHO)
    own = arrays(folder, drop=["who"], kinds={name: kind}, **CLASSES)
    before = own.load()
    kinds = {one: pa.array(cells, TYPES[one][0]) for one, cells in columns(PRIVATE, 0).items()}
    cells = [float(cell) for cell in kinds[name].to_pylist()]
    cells[record] = None
    kinds |= {name: pa.array(cells, pa.float64()), "y": pa.array(labels), "who": pa.array(WHO)}
    parquet.write_table(pa.table(kinds), folder / "private.parquet")
    touches_only_itself(before, own.load(), record)


@given(record=st.integers(0, PRIVATE - 1), change=changes)
@FEW
def test_in_a_single_file_too(tmp_path_factory, record, change):
    """Records are shuffled by position; the cell is one of a private row, and the public fit is another's."""
    name, cell = change
    rows = PRIVATE + PUBLIC + TEST
    labels = (LABELS * rows)[:rows]
    sizes = {"private": PRIVATE, "public": PUBLIC, "test": TEST}
    found = []
    order = np.random.default_rng(0).permutation(rows)
    folder = tmp_path_factory.mktemp("single")
    for changed in (False, True):
        table = columns(rows, 3)
        if changed:
            table[name][order[record]] = cell
        write_parquet(folder / "all.parquet", table, labels)
        found.append(arrays(folder / "all.parquet", **CLASSES, **sizes).load())
    touches_only_itself(*found, record)


@pytest.mark.parametrize("form", ["npz", "npy"])
@pytest.mark.parametrize("kind", ["uint8 images", "int64", "float16", "float64", "bool"])
@given(
    record=st.integers(0, PRIVATE - 1),
    place=st.integers(0, 15),
    value=st.sampled_from([0, 1, 255, 2**60 + 1, 0.5, np.nan, np.inf, 1e300]),
    label=st.booleans(),
    fractions=st.booleans(),
)
@FEW
def test_arrays_too(tmp_path_factory, form, kind, record, place, value, label, fractions):
    folder = tmp_path_factory.mktemp(form)
    rng = np.random.default_rng(4)
    dtype = np.dtype(kind.split()[0])
    shape = (4, 4) if "images" in kind else (16,)
    sides = {
        side: rng.integers(0, 2 if kind == "bool" else 200, (rows, *shape)).astype(dtype)
        for side, rows in (("private", PRIVATE), ("public", PUBLIC), ("test", TEST))
    }
    y = np.arange(PRIVATE) % 2

    def write(private, labels):
        for side, x in (sides | {"private": private}).items():
            own = labels if side == "private" else np.arange(len(x)) % 2
            if form == "npz":
                np.savez(folder / f"{side}.npz", x=x, y=own)
            else:
                np.save(folder / f"{side}_x.npy", x)
                np.save(folder / f"{side}_y.npy", own)
        return arrays(folder, classes=LABELS).load()

    before = write(sides["private"], y)
    x, labels = sides["private"].copy(), y.copy()
    if fractions:
        x = x.astype(np.float64)
    with np.errstate(all="ignore"), contextlib.suppress(OverflowError, ValueError):
        x.reshape(PRIVATE, -1)[record, place] = value
    labels[record] = int(label)
    try:
        after = write(x, labels)
    except ConfigError:
        return  # refused as a whole: nothing comes of it
    touches_only_itself(before, after, record)
