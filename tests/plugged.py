"""A package of somebody else's, installed for a test: modules in a folder of their own, and entry points to them.

Installed as pip would: a folder on the path with the modules and a .dist-info, which is all importlib.metadata reads.
"""

import importlib
import sys
from contextlib import contextmanager


@contextmanager
def installed(folder, modules, entry_points):
    """`modules` by name, as text; `entry_points` by group, as lines `name = module:Class`."""
    package = next(iter(modules))
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    sections = ("\n".join([f"[{group}]", *lines]) for group, lines in entry_points.items())
    (about / "entry_points.txt").write_text("\n\n".join(sections) + "\n")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    sys.path.append(str(folder))
    importlib.invalidate_caches()
    try:
        yield folder
    finally:
        sys.path.remove(str(folder))
        for name in modules:
            sys.modules.pop(name, None)
