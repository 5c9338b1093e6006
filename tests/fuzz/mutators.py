"""Valid files turned into hostile ones: bytes anywhere, and within each format what its parser believes."""

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
import zlib
from functools import lru_cache

BOMB = 400 << 20  # bytes of nothing
_KINDS = [
    "<f8", ">i4", "|O", "<U99999", "|V8", "<M8[s]", "|b1", "<c16", "|S0", "<U0", "|S3", "<f2", "<i8", "<u8",
    "<f16",
]  # fmt: skip
_SHAPES = [
    "(4611686018427387904,)", "(1000000, 1000000)", "(0, 1099511627776)", "(-1,)", "()", "(1,)", "(0,)",
    "(3, 0)",
]  # fmt: skip
_NAMES = ["../../evil.npy", "/evil.npy", "x.npy/../y.npy", ".npy", "evil", "x\\..\\y.npy", "x.npy", "\N{SNOWMAN}.npy"]
_FACTS = [
    *(None, True, -1, 0, 1e308, float("nan"), float("inf"), 10**30, "", "x" * 1000, "\x1b[31m", "\ud800"),
    *([], {}, [[]], {"a": 1}, [1, 2, 3], ["a"], [None], [-1], [10**9, 10**9, 3], 7, 2.5, "float32", "uint8", "f4,f4"),
]


def mutated(rng, name, content, others):
    """Some hostile version of a file, by what its name says it is."""
    own = _BY_ENDING.get(name.rpartition(".")[2])
    if own and rng.random() < 0.6:
        try:
            return own(rng, content)
        except (ValueError, KeyError, IndexError, struct.error, zipfile.BadZipFile):
            pass  # the sample was too small for that
    return anywhere(rng, content, others)


# -- any bytes ----------------------------------------------------------------------------------------


def anywhere(rng, content, others):
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, size = rng.randrange(len(data) + 1), rng.choice([1, 4, 8, 64, 1000])
        match rng.randrange(9):
            case 0:
                del data[at:]
            case 1 if data:
                for _ in range(rng.choice([1, 1, 3, 50])):
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 2:
                data[at : at + size] = rng.choice([b"\xff", b"\0", b"\x7f", b"\x80"]) * size
            case 3:
                data[at:at] = rng.randbytes(size)
            case 4:
                del data[at : at + size]
            case 5:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                data[at : at + size] = other[begin : begin + size]
            case 6:
                data[at:at] = data[at : at + size] * rng.choice([1, 2, 100])
            case 7:
                data[at : at + 8] = struct.pack(
                    "<Q", rng.choice([2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1])
                )
            case 8 if rng.random() < 0.2:
                data = bytearray(rng.choice([b"", b"\0", b"\n" * 50, rng.randbytes(300), rng.choice(others)]))
    return bytes(data)


# -- arrays -------------------------------------------------------------------------------------------


def npy(rng, content):
    wide = 2 if content[6:7] == b"\1" else 4
    length = int.from_bytes(content[8 : 8 + wide], "little")
    text, data = content[8 + wide : 8 + wide + length].decode("latin-1"), content[8 + wide + length :]
    for _ in range(rng.choice([1, 1, 2])):
        match rng.randrange(9):
            case 0:
                text = _replaced(text, "'descr': '", "'", rng.choice(_KINDS))
            case 1:
                text = _replaced(text, "'shape': ", "), ", rng.choice(_SHAPES)[:-1])
            case 2:
                text = text.replace("False", "True") if "False" in text else text.replace("True", "False")
            case 3:
                text = _replaced(text, "'descr': ", ",", rng.choice(["[('a', '<f4')]", "None", "1", "'<f4'" * 50]))
            case 4:
                text = rng.choice(
                    ["(" * 9000, "-" * 9000, "[" * 500, "{}", "{'shape': (1,)}", "'", "\0", "__import__('os')"]
                )
            case 5:
                bad = rng.choice([struct.pack("<d", float("nan")), struct.pack("<f", float("inf")), b"\xff" * 8])
                data = bad * (len(data) // len(bad)) + data[: len(data) % len(bad)]
            case 6:
                data = data[: rng.randrange(len(data) + 1)] + data * rng.choice([0, 0, 1])
            case 7:
                text = _replaced(text, "'shape': ", "), ", "(" + "1, " * 80)
            case 8:
                data = rng.randbytes(len(data))
    header = text.encode("latin-1", errors="replace")
    if rng.random() < 0.1:
        return b"\x93NUMPY\2\0" + struct.pack("<I", rng.choice([len(header), 2**32 - 1, 2**31])) + header + data
    return content[:8] + struct.pack("<H", len(header) & 0xFFFF) + header + data


def npz(rng, content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [[info.filename, archive.read(info)] for info in archive.infolist()]
    pack, chosen = rng.choice([0, 0, 8, 8, 12, 14]), rng.randrange(len(members))
    match rng.randrange(7):
        case 0 | 1 | 2:
            members[chosen][1] = npy(rng, members[chosen][1])
        case 3:
            members[chosen][0] = rng.choice(_NAMES)
        case 4:
            members.append([rng.choice(members)[0], members[chosen][1]])
        case 5:
            del members[chosen]
        case 6 if rng.random() < 0.1:
            return bomb_npz()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", pack) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = pack
            info.external_attr = rng.choice([0, 0, 0o120777 << 16])  # a link, to whoever unpacks
            archive.writestr(info, data)
    return _lying(rng, out.getvalue()) if rng.random() < 0.15 else out.getvalue()


@lru_cache
def bomb_npz():
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({BOMB // 64}, 64), }}\n".encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", 8, compresslevel=1) as archive, archive.open("x.npy", "w") as stream:
        stream.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)
        for _ in range(BOMB >> 20):
            stream.write(bytes(1 << 20))
    return out.getvalue()


def _lying(rng, data):
    """An archive whose directory declares other sizes than there are."""
    at = data.rfind(b"PK\1\2")
    size = struct.pack("<I", rng.choice([2**32 - 1, 2**31, 1 << 28, 0, 7]))
    return data[: at + 24] + size + data[at + 28 :]


def safetensors(rng, content):
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    entry = header[rng.choice(sorted(set(header) - {"__metadata__"}))]
    match rng.randrange(7):
        case 0:
            entry["dtype"] = rng.choice(["F64", "F16", "BF16", "I64", "U8", "BOOL", "F8_E4M3", "X", None, "I32"])
        case 1:
            entry["shape"] = rng.choice(
                [[], [2**62], [2**32, 2**32], [0, 2**40], [-1], ["1"], [1.5], [True], 3, entry["shape"][::-1]]
            )
        case 2:
            entry["data_offsets"] = rng.choice([[0, 2**60], [5, 3], [-8, 0], [0], None, [0, 0], ["a", "b"]])
        case 3:
            header[rng.choice(["model.x", "encoder.mean", "model.layers.9.weight", "x", "model..", "."])] = dict(entry)
        case 4:
            bad = rng.choice(
                [struct.pack("<f", float("nan")), struct.pack("<f", float("inf")), struct.pack("<f", 3e38), bytes(4)]
            )
            data = bad * (len(data) // 4) + data[: len(data) % 4]
        case 5:
            start, end = entry["data_offsets"]
            data = data[:start] + rng.randbytes(end - start) + data[end:]
        case 6:
            text = facts(rng, json.dumps(header).encode())
            return struct.pack("<Q", len(text)) + text + data
    text = json.dumps(header).encode()
    return struct.pack("<Q", rng.choice([len(text)] * 9 + [2**63])) + text + data


# -- facts --------------------------------------------------------------------------------------------


def facts(rng, content):
    if rng.random() < 0.08:
        deep = rng.choice([900, 3000, 200_000])
        return rng.choice(
            [b"[" * deep, b'{"a":' * deep, b"[" * deep + b"]" * deep, b"9" * 6000, b"-1e99999", b"NaN", b"1", b"[]"]
        )
    tree = json.loads(content)
    places = list(_places(tree))
    for _ in range(rng.choice([1, 1, 2, 4])):
        if places:
            holder, key = rng.choice(places)
            match rng.randrange(5):
                case 0 if isinstance(holder, dict):
                    holder.pop(key, None)
                case 1 if isinstance(holder, dict):
                    holder[rng.choice(["extra", "kind", "__class__", "format", "", key + "x"])] = rng.choice(_FACTS)
                case _ if isinstance(holder, dict) or key < len(holder):
                    holder[key] = rng.choice(_FACTS)
    return json.dumps(tree, ensure_ascii=rng.random() < 0.8).encode("utf-8", errors="surrogatepass")


def _places(tree):
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(tree[key])


# -- tables -------------------------------------------------------------------------------------------


def csv(rng, content):
    rows = [line.split(b",") for line in content.splitlines()]
    for _ in range(rng.choice([1, 1, 3])):
        row = rng.choice(rows)
        cell = rng.randrange(len(row))
        match rng.randrange(6):
            case 0 | 1 | 2:
                values = [
                    b"",
                    b"nan",
                    b"inf",
                    b"1e999",
                    b"9" * 400,
                    b'"',
                    b"\0",
                    b"\xe9",
                    b"x" * 140_000,
                    b'"a\nb"',
                    b"1_0",
                    b"\xed\xa0\x80",
                ]
                row[cell] = rng.choice(values)
            case 3:
                row.insert(cell, b"7")
            case 4 if len(row) > 1:
                del row[cell]
            case 5 if rng.random() < 0.3:
                rows += [list(rows[-1]) for _ in range(3000)]  # many cells that would be made as long as one
                row[cell] = b"y" * 130_000
    return rng.choice([b"\n", b"\n", b"\r\n", b"\r"]).join(b",".join(row) for row in rows)


def parquet(rng, content):
    import pyarrow as pa
    from pyarrow import parquet as pq

    table = pq.read_table(io.BytesIO(content))
    place, rows = rng.randrange(table.num_columns), table.num_rows
    column = [
        lambda: pa.array([[1, 2]] * rows),
        lambda: pa.array([{"a": 1}] * rows),
        lambda: pa.array([None] * rows),
        lambda: pa.array([b"\xff\xfe"] * rows),
        lambda: pa.array([float("nan")] * rows),
        lambda: pa.array([2**63 - 1] * rows),
        lambda: pa.array([True, None] * (rows // 2) + [False] * (rows % 2)),
        lambda: pa.array([10**9] * rows, pa.timestamp("s")),
        lambda: pa.array(["x" * 200_000] * rows),
        lambda: pa.array([""] * rows),
    ]
    made = rng.choice(column)()
    name = rng.choice([table.column_names[place]] * 4 + ["", "other", table.column_names[0]])
    if rng.random() < 0.05:
        return bomb_parquet()
    table = table.set_column(place, name, made)
    out = io.BytesIO()
    pq.write_table(
        table, out, compression=rng.choice(["none", "snappy", "gzip", "zstd"]), use_dictionary=rng.random() < 0.7
    )
    return out.getvalue()


@lru_cache
def bomb_parquet():
    """A thousand long texts, each many times: one of each in the file."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    out = io.BytesIO()
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array(["z" * 50_000]))
    pq.write_table(pa.table({"a": texts, "b": texts, "y": pa.array([0, 1] * 50_000)}), out, compression="zstd")
    return out.getvalue()


# -- containers ---------------------------------------------------------------------------------------


def gz(rng, content):
    if rng.random() < 0.03:
        return bomb_gz()
    return gzip.compress(anywhere(rng, gzip.decompress(content), [b"\0" * 100]), 1)


@lru_cache
def bomb_gz():
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as stream:
        stream.write(bytes([0, 0, 8, 3]) + struct.pack(">III", BOMB // 64, 8, 8))
        for _ in range(BOMB >> 20):
            stream.write(bytes(1 << 20))
    return out.getvalue()


def mat(rng, content):
    """Each element unpacked, changed and packed again."""
    out, at = content[:128], 128
    while at + 8 <= len(content):
        kind, size = struct.unpack("<II", content[at : at + 8])
        inner = content[at + 8 : at + 8 + size]
        inner = zlib.decompress(inner) if kind == 15 else inner
        if kind == 15 and rng.random() < 0.02:
            packed = bomb_mat(inner[:80])
            out, at = out + struct.pack("<II", kind, len(packed)) + packed, at + 8 + size
            continue
        if rng.random() < 0.7:
            start = anywhere(rng, inner[:80], [b"\1\0\0\0\x0e\0\0\0" * 4]) if rng.random() < 0.8 else inner[:80]
            inner = start + (inner[80:] if rng.random() < 0.8 else anywhere(rng, inner[80:], [b"\0" * 64]))
        inner = zlib.compress(inner, 1) if kind == 15 else inner
        out, at = out + struct.pack("<II", kind, len(inner)) + inner, at + 8 + size
    return out


@lru_cache
def bomb_mat(start):
    return zlib.compress(start + bytes(BOMB), 1)


def tgz(rng, content):
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = [(info, archive.extractfile(info).read()) for info in archive]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for info, data in members:
            if rng.random() < 0.5:
                info.type = rng.choice(
                    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]
                )
                info.linkname = rng.choice(["/etc/passwd", "../../canary", "one.bin", info.name])
            elif rng.random() < 0.5:
                info.name = rng.choice(["../../evil", "/evil", "package/../../evil", "x" * 300, info.name])
            elif rng.random() < 0.3:
                data = anywhere(rng, data, [b"?"])
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def whl(rng, content):
    changed = npz(rng, content) if rng.random() < 0.7 else anywhere(rng, content, [b"PK\1\2" * 9])
    return changed


def special(rng, path, canary):
    """Not a file at all, or one that is elsewhere."""
    path.unlink()
    match rng.randrange(6):
        case 0:
            path.symlink_to(canary)
        case 1:
            path.symlink_to("/dev/zero")
        case 2:
            path.symlink_to(path)
        case 3:
            path.symlink_to("/nowhere/at/all")
        case 4:
            os.mkfifo(path)
        case 5:
            path.mkdir()


def _replaced(text, before, after, new):
    start = text.index(before) + len(before)
    return text[:start] + new + text[text.index(after, start) :]


_BY_ENDING = {
    "npy": npy, "npz": npz, "safetensors": safetensors, "json": facts, "csv": csv, "parquet": parquet, "gz": gz,
    "mat": mat, "tgz": tgz, "whl": whl,
}  # fmt: skip
