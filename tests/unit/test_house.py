"""The habits of the house, checked on the source tree itself."""

import ast
import re
import statistics
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from phasewise.workload.discovery import workloads
from tests.conftest import FIRST

LONGEST_FILE = {"tests": 450}
"""Lines, by folder; elsewhere OTHER_FILE."""
OTHER_FILE = 400
MEDIAN_FILE = 150
LONGEST_LINE = 100
CODE = {".py", ".cpp", ".hpp", ".c", ".h", ".cu", ".cuh", ".sh", ".cmake"}


@pytest.fixture(scope="module")
def code(repository: Path) -> list[Path]:
    """Every source file that is, or would be, committed."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    if listing.returncode != 0:
        pytest.skip("the source tree is not a git checkout")
    paths = (repository / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.suffix in CODE and path.is_file()]


REGISTRY = "core/driver/workloads.cpp"
ANY_WORKLOAD = "<workload>"
"""The line of the architecture page that stands for the folders of all workloads."""


def listed_workloads(repository: Path) -> list[str]:
    """The workloads that the driver knows, which are siblings: none may use another."""
    listed = (repository / REGISTRY).read_text()
    line = re.search(r"#define PHASEWISE_WORKLOADS\(line\)((?:.*\\\n)*.*)", listed)
    assert line is not None
    return re.findall(r"line\((\w+)\)", line[1])


def core_folders(repository: Path) -> list[str]:
    """The folders of the core in the order of the architecture page, first the one all may use."""
    page = (repository / "docs/architecture.md").read_text()
    tree = page[page.index("core/ ") : page.index("└── main.cpp")]
    lines = re.findall(r"^├── ([\w<>]+)/", tree, re.MULTILINE)
    place = lines.index(ANY_WORKLOAD)
    return lines[:place] + listed_workloads(repository) + lines[place + 1 :]


def core_sources(repository: Path, code: list[Path]) -> list[tuple[str, Path]]:
    """Pairs of folder below core/ and file, for the files that stand in one."""
    core = repository / "core"
    inside = (path for path in code if path.is_relative_to(core) and path.parent != core)
    return [(path.relative_to(core).parts[0], path) for path in inside]


def python_modules(repository: Path, code: list[Path]) -> dict[str, Path]:
    """The modules of phasewise by their full names; a package stands for its __init__.py."""
    inside = (path for path in code if path.suffix == ".py")
    inside = (path for path in inside if path.is_relative_to(repository / "phasewise"))
    parts = {path: path.relative_to(repository).with_suffix("").parts for path in inside}
    return {".".join(p[:-1] if p[-1] == "__init__" else p): path for path, p in parts.items()}


@cache
def import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Those of a file, within functions or for types alone too."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of phasewise that a file imports."""
    found: set[str] = set()
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{path} imports relatively"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            submodules = names & modules.keys()
            found |= submodules
            if submodules != names:
                found.add(node.module or "")
    return found & modules.keys()


def test_no_file_is_too_long(repository: Path, code: list[Path]) -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in code}
    most = {
        path: LONGEST_FILE.get(path.relative_to(repository).parts[0], OTHER_FILE)
        for path in lengths
    }
    assert {str(path): n for path, n in lengths.items() if n > most[path]} == {}


@pytest.mark.parametrize("folder", ["core", "phasewise", "recorder"])
def test_most_files_are_short(folder: str, repository: Path, code: list[Path]) -> None:
    paths = [path for path in code if path.is_relative_to(repository / folder)]
    assert statistics.median(len(path.read_text().splitlines()) for path in paths) <= MEDIAN_FILE


def python_places(repository: Path) -> list[str]:
    """What phasewise/ holds in the order of the architecture page, first what all may use."""
    page = (repository / "docs/architecture.md").read_text()
    tree = page[page.index("phasewise/ ") : page.index("└── __init__.py")]
    return re.findall(r"^├── ([\w/<>]+?)(?:/|\.py)\s", tree, re.MULTILINE)


def place_of(module: str, modules: dict[str, Path]) -> str:
    """The entry of the page that a module belongs to."""
    _, first, *rest = f"{module}.".split(".")
    inside = f"phasewise.workloads.{rest[0]}".rstrip(".") if rest else ""
    package = modules.get(inside, Path()).name == "__init__.py"
    return "workloads/<name>" if first == "workloads" and package else first


def test_every_module_stands_in_the_architecture_page(repository: Path, code: list[Path]) -> None:
    modules = python_modules(repository, code)
    places = {place_of(name, modules) for name in modules} - {"", "__main__"}
    assert places ^ set(python_places(repository)) == set()


def test_a_module_imports_only_what_stands_above_its_place(
    repository: Path, code: list[Path]
) -> None:
    modules, order = python_modules(repository, code), python_places(repository)
    wrong = [
        f"{name} imports {used}"
        for name, path in modules.items()
        if name not in ("phasewise", "phasewise.__main__")
        for used in imported(path, modules)
        if order.index(place_of(used, modules)) > order.index(place_of(name, modules))
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle(repository: Path, code: list[Path]) -> None:
    modules = python_modules(repository, code)
    needs = {name: imported(path, modules) for name, path in modules.items()}
    while free := [name for name, used in needs.items() if not used & needs.keys()]:
        for name in free:
            del needs[name]
    assert needs == {}


def test_nothing_imports_a_command(repository: Path, code: list[Path]) -> None:
    modules = python_modules(repository, code)
    users = [
        f"{name} imports {used}"
        for name, path in modules.items()
        for used in imported(path, modules)
        if used.startswith("phasewise.commands.") or used == "phasewise.cli"
        if name != "phasewise.__main__"
    ]
    assert users == []


def test_scipy_is_imported_where_it_is_used(repository: Path, code: list[Path]) -> None:
    modules = python_modules(repository, code).values()
    at_the_top = re.compile(r"^(?:from|import) scipy\b", re.MULTILINE)
    assert [str(path) for path in modules if at_the_top.search(path.read_text())] == []


NEUTRAL = ("core", "phasewise", "recorder", "cmake", "scripts", "machines")
"""Folders whose code is for any workload, but for the workloads' own folders in them."""
ORDINARY = {"atmosphere", "collectives", "halo", "kernels", "qcd", "recorded", "sphere"}
"""Names of workloads that are words of the field too: only their folders and namespaces count."""


def naming(word: str) -> re.Pattern[str]:
    """Finds a workload's name, alone or within an identifier, in the singular or the plural."""
    if word in ORDINARY:
        return re.compile(rf"workloads[./]{word}\b|core/{word}\b|\b{word}::|\"{word}/")
    return re.compile(
        rf"(?<![a-z])({word}|{word.upper()})s?(?![a-z])|{word.capitalize()}s?(?![a-z])"
    )


def test_nothing_names_a_workload_but_its_own_folders(repository: Path, code: list[Path]) -> None:
    names = {word: naming(word) for word in workloads()}
    texts = {path.relative_to(repository): path.read_text() for path in code}
    named = [
        f"{relative}:{number} names {word}"
        for word, name in names.items()
        for relative, text in texts.items()
        if relative.parts[0] in NEUTRAL and str(relative) != REGISTRY
        if not relative.is_relative_to(f"core/{word}")
        if not relative.is_relative_to(f"phasewise/workloads/{word}")
        if word in text.lower()
        for number, line in enumerate(text.splitlines(), 1)
        if name.search(line)
    ]
    assert named == []


def test_no_line_of_code_is_longer_than_a_hundred_columns(code: list[Path]) -> None:
    long = [
        f"{path}:{number}"
        for path in code
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []


def test_only_core_comm_calls_mpi(repository: Path, code: list[Path]) -> None:
    calls = re.compile(r"\bMPI_\w+\s*\(|<mpi\.h>")
    callers = [
        str(path)
        for folder, path in core_sources(repository, code)
        if folder != "comm" and calls.search(path.read_text())
    ]
    assert callers == []
    driver = repository / "core/main.cpp"
    assert not driver.exists() or not calls.search(driver.read_text())


def test_every_folder_of_the_core_stands_in_the_architecture_page(
    repository: Path, code: list[Path]
) -> None:
    folders = {folder for folder, _ in core_sources(repository, code)}
    assert folders - set(core_folders(repository)) == set()


INCLUDE = re.compile(r'^\s*#\s*include\s*"([a-z]+)/', re.MULTILINE)


def included(repository: Path, code: list[Path]) -> list[tuple[str, Path, str]]:
    """The folder of a file, the file, and a folder that it includes from.

    A workload's bindings stand in its folder, and count as those of all others.
    """
    return [
        ("bindings" if path.name.startswith("bindings") else folder, path, used)
        for folder, path in core_sources(repository, code)
        for used in INCLUDE.findall(path.read_text())
    ]


def test_a_folder_of_the_core_includes_only_itself_and_those_above_it(
    repository: Path, code: list[Path]
) -> None:
    order = core_folders(repository)
    wrong = [
        f"{path} includes {used}/"
        for folder, path, used in included(repository, code)
        if order.index(used) > order.index(folder)
    ]
    assert wrong == []


def test_workloads_are_siblings_that_only_their_own_folders_include(
    repository: Path, code: list[Path]
) -> None:
    workloads = set(listed_workloads(repository))
    assert "collision" in workloads
    wrong = [
        f"{path} includes {used}/"
        for _, path, used in included(repository, code)
        if used in workloads and used not in path.parts
    ]
    assert wrong == []


def test_every_header_guards_itself_with_pragma_once(code: list[Path]) -> None:
    headers = [path for path in code if path.suffix in {".hpp", ".cuh", ".h"}]
    assert [str(path) for path in headers if "#pragma once" not in path.read_text()] == []


def test_every_link_of_the_documents_leads_somewhere(repository: Path) -> None:
    pages = [*repository.glob("*.md"), *repository.glob("docs/**/*.md")]
    pages += repository.glob("examples/*/*.md")
    target = re.compile(r"\]\((?!https?:)([^)#\s]+)")
    broken = [
        f"{page}: {link}"
        for page in pages
        for link in target.findall(page.read_text())
        if not (page.parent / link).exists()
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("extra", "file"), [("dev", "requirements.lock"), ("docs", "requirements-docs.lock")]
)
def test_every_dependency_is_pinned_in_the_lock(extra: str, file: str, repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"][extra]
    wanted = wanted + project["dependencies"] if extra == "dev" else wanted
    lock = (repository / file).read_text()
    packages = [line for line in lock.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in packages)

    def canonical(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    pinned = {canonical(line.split("==")[0]) for line in packages}
    names = {canonical(re.split(r"[<>=~\[ ]", requirement)[0]) for requirement in wanted}
    assert names - pinned == set()


def test_the_tests_that_begin_first_are_there(repository: Path) -> None:
    assert [name for name in FIRST if not (repository / name).is_file()] == []
