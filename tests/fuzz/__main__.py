"""python -m tests.fuzz --files 20000 --seed 0: so many hostile files for every loader; exit code 1 if any fails."""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tests.fuzz.oracle import hunt
from tests.fuzz.targets import targets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000, help="hostile files in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="loaders whose name contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default=None, help="where failing files are put")
    given = parser.parse_args()
    keep = given.keep or tempfile.mkdtemp(prefix="pate-fuzz-")
    chosen = [target for target in targets() if given.only in target.name]
    each = given.files / sum(target.share for target in chosen)

    def one(target):
        return hunt({target.name: max(1, round(each * target.share))}, given.seed, keep)[target.name]

    print(f"{'loader':<24}{'tried':>8}{'read':>8}{'refused':>9}{'failed':>8}")
    total, why = [0, 0, 0, 0], []
    with ThreadPoolExecutor(given.jobs) as pool:
        for target, row in zip(chosen, pool.map(one, chosen), strict=True):
            counts = [row[key] for key in ("tried", "read", "refused", "failed")]
            total = [a + b for a, b in zip(total, counts, strict=True)]
            print(f"{target.name:<24}{counts[0]:>8}{counts[1]:>8}{counts[2]:>9}{counts[3]:>8}", flush=True)
            why += [f"{target.name}, {line}" for line in row["why"]]
    print(f"{'all':<24}{total[0]:>8}{total[1]:>8}{total[2]:>9}{total[3]:>8}")
    for line in why[:40]:
        print(f"\n{line}")
    if why:
        print(f"\nthe files that failed are in {keep}")
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
