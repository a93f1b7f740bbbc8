"""Everything public says what it does, and every example runs."""

import doctest
import importlib
import inspect
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import sealstone
from pages import page, programs

MODULES = ["sealstone"] + [
    one.name for one in pkgutil.walk_packages(sealstone.__path__, "sealstone.") if "._" not in one.name
]


def documented(module: ModuleType) -> dict[str, object]:
    """The parts of a module that need documentation: itself, its names, and the methods of its classes."""
    found: dict[str, object] = {module.__name__: module}
    for name in getattr(module, "__all__", ()):
        one = getattr(module, name)
        found[f"{module.__name__}.{name}"] = one
        if inspect.isclass(one):
            for attribute, value in vars(one).items():
                if not attribute.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                    found[f"{module.__name__}.{name}.{attribute}"] = value
    return found


@pytest.mark.parametrize("name", MODULES)
def test_everything_says_what_it_does(name: str) -> None:
    module = importlib.import_module(name)
    assert getattr(module, "__all__", None), f"{name} has no __all__"
    silent = [path for path, one in documented(module).items() if not inspect.getdoc(one)]
    assert silent == []


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for path, one in documented(importlib.import_module(name)).items():
        example = parser.get_doctest(inspect.getdoc(one) or "", {}, path, None, None)
        runner.run(example)
    done = runner.summarize(verbose=False)
    assert done.failed == 0
    assert name != "sealstone" or done.attempted > 5


@pytest.mark.parametrize(
    "name", ["README.md", "bindings/python/README.md", "docs/guide/python.md", "docs/guide/fise.md"]
)
def test_what_pages_show_runs(name: str, tmp_path: Path) -> None:
    examples = programs(page(name))
    assert examples
    for i, example in enumerate(examples):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "example.py").write_text(example)
        (folder / "film.mkv").write_bytes(b"a film")
        ran = subprocess.run([sys.executable, "example.py"], cwd=folder, capture_output=True, text=True)
        assert ran.returncode == 0, f"{example}\n{ran.stderr}"


def test_what_the_page_about_buckets_shows_runs(tmp_path: Path) -> None:
    """Its programs, one after the other in one folder; those on columns need Spark, and are run with the tests of jobs."""
    text = page("docs/guide/big-data.md").partition("\n## Encrypt columns")[0]
    examples = programs(text)
    assert len(examples) == 6
    # An installed package has told fsspec of itself.
    start = (
        "import fsspec\nfsspec.register_implementation('sealstone', 'sealstone.fs.SealedFileSystem', clobber=True)\n"
    )
    start = "" if os.environ.get("SEALSTONE_INSTALLED") else start

    def run(program: str) -> str:
        (tmp_path / "program.py").write_text(start + program)
        ran = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
        return ran.stderr if ran.returncode else ""

    for example in examples:
        assert run(example) == "", example
    # An object that is gone has no row, and the last program finds it.
    (tmp_path / "sealed" / "b.json.seal").unlink()
    for job in ("verify", "compare"):
        shutil.rmtree(tmp_path / "jobs" / job)
    verify, compare = examples[-2:]
    assert run(verify) == ""
    assert "AssertionError" in run(compare)
