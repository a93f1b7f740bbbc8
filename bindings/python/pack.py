"""Packs the wheel of the native module that is compiled already: the one of tests, which is like that of maturin but for its profile.

usage: pack.py MODULE FOLDER: the compiled module, and where the wheel is put; it prints the wheel's path
"""

import base64
import hashlib
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
TAG = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_')}"


def main(module: Path, folder: Path) -> Path:
    """Makes the wheel that `pyproject.toml` describes."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name = f"{project['name']}-{project['version']}"
    files = {
        str(path.relative_to(HERE / "python")): path.read_bytes()
        for path in sorted((HERE / "python").rglob("*"))
        if path.is_file() and path.suffix not in (".so", ".pyc")
    }
    files["sealstone/_native.abi3.so"] = module.read_bytes()
    files[f"{name}.dist-info/METADATA"] = metadata(project).encode()
    files[f"{name}.dist-info/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    files[f"{name}.dist-info/entry_points.txt"] = entry_points(project).encode()
    record = f"{name}.dist-info/RECORD"
    listed = "".join(f"{path},{digest(data)},{len(data)}\n" for path, data in files.items())
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{TAG}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, data in {**files, record: f"{listed}{record},,\n".encode()}.items():
            archive.writestr(path, data)
    return wheel


def metadata(project: dict) -> str:
    """The metadata for pip: names, versions and extras."""
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}"]
    lines += [f"Requires-Python: {project['requires-python']}"]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {need} ; extra == '{extra}'" for need in needs)]
    return "\n".join(lines) + "\n"


def entry_points(project: dict) -> str:
    """Its commands, and its names for other packages."""
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name}={place}\n" for name, place in sorted(places.items()))
        for group, places in groups.items()
    )


def digest(data: bytes) -> str:
    """As RECORD has it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
