"""The recorder, compiled once for each MPI library by that library's own ``mpicc``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from phasewise.errors import RunError
from phasewise.recorder.header import functions_of
from phasewise.recorder.wrappers import (
    functions_header,
    stub_header,
    wrapped_arguments,
    wrappers_source,
)
from phasewise.runs.kept import cache_folder
from phasewise.scratch import temporary_folder

PACKAGE = Path(__file__).resolve().parent
TREE = PACKAGE.parents[1]
COMPILERS = ("mpicc", "mpicc.openmpi", "mpicc.mpich", "mpicc_abi")
"""The names under which a compiler of an MPI library is looked for."""
RECORDER, STUB = "libphasewise-recorder.so", "libphasewise-record.so"
ABOUT = "about.json"
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared")
LONGEST = 300.0
"""Seconds that a compiler may take."""


@dataclass(frozen=True)
class Library:
    """A recorder that was built: the library that it is for, and where it lies.

    arguments: how many each of its wrapped functions has; sources: the key of the recorder's own
    sources.
    """

    version: str
    soname: str
    compiler: str
    sources: str
    arguments: dict[str, int]
    recorder: str


def source_folder() -> Path:
    """The folder of the recorder's C sources: in the package, or beside it in a source tree."""
    for folder in (PACKAGE / "source", TREE / "recorder"):
        if (folder / "stub.c").is_file():
            return folder
    raise RunError("this installation lacks the sources of the recorder: install phasewise again")


def build_folders() -> tuple[Path, ...]:
    """Where recorders are looked for: those of ``make setup``, then the user's cache."""
    own = cache_folder(os.environ) / "recorder"
    return (TREE / "build" / "recorder", own) if source_folder().parent == TREE else (own,)


def built_libraries() -> list[Library]:
    """The recorders that were built from these sources."""
    key = _sources_key()
    found: dict[str, Library] = {}
    for folder in build_folders():
        for about in sorted(folder.glob(f"*/{ABOUT}")):
            library = _read(about)
            if library is not None and library.sources == key:
                found.setdefault(library.soname, library)
    return list(found.values())


def library_of(compiler: str, folder: Path | None = None) -> Library:
    """The recorder for the library of this ``mpicc``, built if it is not yet there; `folder`: where
    to build it, by default in the user's cache. RunError if it cannot be built.
    """
    header = _output([compiler, "-E", "-dD", "-x", "c", "-"], "#include <mpi.h>\n")
    key = _digest([header, _linked(compiler), _sources_key()])
    places = build_folders() if folder is None else (folder,)
    for place in places:
        library = _read(place / key / ABOUT)
        if library is not None:
            return library
    target = places[-1] / key
    with temporary_folder("recorder") as scratch:
        library = _built(compiler, header, Path(scratch), target)
        _moved(Path(scratch), target, [RECORDER, ABOUT])
    return library


def stub_of(libraries: Sequence[Library]) -> Path:
    """What is preloaded for programs of any of these libraries. RunError if it cannot be built."""
    arguments: dict[str, int] = {}
    for library in libraries:
        arguments |= library.arguments
    header = stub_header(arguments)
    key = "stub-" + _digest([header, _sources_key()])
    for place in build_folders():
        if (place / key / STUB).is_file():
            return place / key / STUB
    compiler = shutil.which("cc") or shutil.which("gcc") or libraries[0].compiler
    place = _first_writable(build_folders())
    with temporary_folder("recorder") as scratch:
        folder = Path(scratch)
        (folder / "stub_functions.h").write_text(header, encoding="utf-8")
        source = str(source_folder() / "stub.c")
        wanted = [*FLAGS, "-Wl,--as-needed", f"-I{folder}", source]
        _output([compiler, *wanted, "-o", str(folder / STUB), "-ldl"])
        _moved(folder, place / key, [STUB])
    return place / key / STUB


def _first_writable(folders: Iterable[Path]) -> Path:
    *others, last = folders
    return next((one for one in others if one.is_dir() and os.access(one, os.W_OK)), last)


def _built(compiler: str, header: str, scratch: Path, target: Path) -> Library:
    functions = functions_of(_without_macros(header))
    if not any(one.name == "MPI_Send" for one in functions):
        raise RunError(f"{compiler} finds no mpi.h with MPI_Send: its library cannot be recorded")
    (scratch / "functions.h").write_text(functions_header(functions), encoding="utf-8")
    (scratch / "wrappers.c").write_text(wrappers_source(functions), encoding="utf-8")
    sources = [str(path) for path in sorted(source_folder().glob("*.c")) if path.stem != "stub"]
    sessions = any(one.name == "MPI_Session_init" for one in functions)
    command = [compiler, *FLAGS, "-fvisibility=hidden", "-pthread", "-Wl,--no-as-needed"]
    command += ["-DPHASEWISE_SESSIONS"] if sessions else []
    command += [f"-I{scratch}", f"-I{source_folder()}", *sources, str(scratch / "wrappers.c")]
    _output([*command, "-o", str(scratch / RECORDER), "-ldl"])
    library = Library(
        version=_version(header),
        soname=_soname(scratch / RECORDER, compiler),
        compiler=compiler,
        sources=_sources_key(),
        arguments=wrapped_arguments(functions),
        recorder=str(target / RECORDER),
    )
    (scratch / ABOUT).write_text(json.dumps(asdict(library)), encoding="utf-8")
    return library


def _moved(scratch: Path, target: Path, names: Iterable[str]) -> None:
    """Put files in their place, each whole or not at all: others may build the same meanwhile."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            beside = target / f"{name}.{os.getpid()}"
            shutil.copyfile(scratch / name, beside)
            beside.replace(target / name)
    except OSError as error:
        raise RunError(f"{target} cannot be written ({error.strerror})") from None


def _read(about: Path) -> Library | None:
    try:
        library = Library(**json.loads(about.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return library if Path(library.recorder).is_file() else None


def _output(command: Sequence[str], given: str = "") -> str:
    """What a compiler prints; RunError with its first complaint if it fails."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RunError(f"{command[0]} cannot be run ({error})") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
        raise RunError(f"the recorder cannot be built by {command[0]}: {lines[0].strip()}")
    return done.stdout


def _without_macros(header: str) -> str:
    return re.sub(r"^#.*$", "", header, flags=re.MULTILINE)


def _version(header: str) -> str:
    """The library's name and version, from the macros of its header."""
    macros = dict(re.findall(r"^#define (\w+) (.+)$", header, flags=re.MULTILINE))
    if "OMPI_MAJOR_VERSION" in macros:
        parts = ("MAJOR", "MINOR", "RELEASE")
        return "Open MPI " + ".".join(macros.get(f"OMPI_{p}_VERSION", "?") for p in parts)
    for name, title in (("MVAPICH2_VERSION", "MVAPICH"), ("MPICH_VERSION", "MPICH")):
        if name in macros:
            number = str(macros[name]).strip('"')
            return f"{title} {number}"
    return f"MPI {macros.get('MPI_VERSION', '?')}.{macros.get('MPI_SUBVERSION', '?')}"


def _soname(recorder: Path, compiler: str) -> str:
    """The name by which the loader knows the library that the recorder was linked to."""
    listed = _output(["readelf", "-d", str(recorder)])
    needed = re.findall(r"\(NEEDED\).*\[(.+?)\]", listed)
    found = [name for name in needed if re.match(r"lib\w*mpi", name)]
    if not found:
        raise RunError(f"{compiler} links MPI statically: such programs cannot be recorded")
    return str(found[0])


def _linked(compiler: str) -> str:
    """How the compiler links, which tells installations of one version apart."""
    for option in ("-show", "--showme"):
        try:
            return _output([compiler, option])
        except RunError:
            continue
    return compiler


def _sources_key() -> str:
    """A key of the C sources, and of what generates the rest."""
    paths = [*source_folder().glob("*.[ch]"), *PACKAGE.glob("*meanings.py")]
    paths += [PACKAGE / "header.py", PACKAGE / "wrappers.py"]
    texts = (path.read_text(encoding="utf-8") for path in sorted(paths))
    return _digest([*texts, *FLAGS])


def _digest(texts: Iterable[str]) -> str:
    key = hashlib.sha256()
    for text in texts:
        key.update(text.encode() + b"\0")
    return key.hexdigest()[:16]


def compilers_here() -> Iterator[str]:
    """The compilers of MPI libraries on the PATH, each once."""
    seen = set()
    for name in COMPILERS:
        path = shutil.which(name)
        if path is not None and (real := os.path.realpath(path)) not in seen:
            # The compilers of one library may be one program that asks for its own name.
            seen.add(real)
            yield path


def main() -> int:
    """Build the recorder for each ``mpicc`` found, for ``make setup``; the exit status."""
    libraries = []
    for compiler in compilers_here():
        try:
            libraries.append(library_of(compiler, build_folders()[0]))
        except RunError as error:
            print(f"phasewise: {error}", file=sys.stderr)
    try:
        for several in (libraries, *([one] for one in libraries)):
            if several:
                stub_of(several)
    except RunError as error:
        print(f"phasewise: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
