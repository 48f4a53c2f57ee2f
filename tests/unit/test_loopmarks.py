"""Loops are marked as gcc compiled them: twelve of known fate in each language, and our kernels'.

The listings in tests/data/loopmarks are of gcc 12 for processors with AVX2, whose vectors hold four
doubles, eight floats or eight integers.
"""

import errno
import json
import os
import platform
import re
import shutil
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.loopmarks.c_loops import loops_of_c
from phasewise.loopmarks.fortran_loops import loops_of_fortran
from phasewise.loopmarks.listing import as_json, as_text, loopmarks
from tests.sentences import one_sentence, refused, says

DATA = Path(__file__).parents[1] / "data" / "loopmarks"
AVX2 = "-O3 -march=x86-64-v3 -fopenmp"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
on_pcs = pytest.mark.skipif(platform.machine() != "x86_64", reason="the listings are for AVX2")


def compiled(name, options=AVX2):
    """The marks of a file of the data."""
    if name.endswith(".f90") and shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    return loopmarks(DATA / name, f"gcc {options} {DATA / name}")


@on_pcs
@pytest.mark.parametrize("name", ["twelve.c", "twelve.cpp", "twelve.f90"])
def test_twelve_loops_of_known_fate_are_marked_exactly(name):
    found = compiled(name)
    assert as_text(found).splitlines() == (DATA / f"{name}.txt").read_text().splitlines()
    assert len(found.loops) >= 12


@on_pcs
def test_json_has_the_marks_and_the_reason_of_each_line():
    lines = as_json(compiled("twelve.c"))["lines"]
    assert [entry["line"] for entry in lines] == list(range(1, len(lines) + 1))
    assert lines[6] == {"line": 7, "marks": "V4-----<>", "reason": None}
    assert lines[10]["marks"] == "1-----<"
    says(lines[10]["reason"], "iteration", "reads", "writes")
    assert lines[0] == {"line": 1, "marks": "", "reason": None}


@on_pcs
def test_wider_and_narrower_vectors_and_unrolling_change_the_marks():
    def first(options):
        return compiled("twelve.c", options).lines[6].marks

    assert first("-O3 -march=x86-64") == "V2-----<>"
    assert first("-O3 -march=x86-64-v3 -funroll-loops") == "V4u-----<>"


def test_a_command_without_vectors_is_said_to_be_the_reason():
    found = compiled("twelve.c", "-O1")
    assert {entry.label for entry in found.loops} <= {"1", "2", "u"}
    says(found.lines[6].reason, "command", "vectors")


def test_loops_that_only_look_like_loops_are_none():
    text = r"""
    // for (;;) {}
    /* while (1) { */ const char* s = "for (;;)"; char q = '"', r = '\'';
    #define EACH(x) \
      for (int i = 0; i < x; ++i)
    auto raw = R"x(do { )" } while)x"; int for_each = 1'000, dodo = 0;
    void f() { std::for_each(a, b, [] { if (c) return; }); }
    """
    assert loops_of_c(text).loops == ()
    text = "do = 3\n! do i = 1, 2\nx = 'do i = 1, 2'\ndot = 1\n"
    assert loops_of_fortran(text, False).loops == ()


def test_nests_of_loops_end_where_their_statements_do():
    text = "void f() {\n  for (;;)\n    if (a)\n      while (b) c();\n    else\n      do d();\n"
    text += "      while (e);\n  for (auto x : y) {\n    z([&] { for (;;) {} });\n  }\n}\n"
    found = [(loop.begin.line, loop.end.line, loop.depth) for loop in loops_of_c(text).loops]
    assert found == [(2, 7, 1), (4, 4, 2), (6, 7, 2), (8, 10, 1), (9, 9, 2)]


def test_branches_that_the_preprocessor_chooses_from_lose_no_other_loop():
    text = "void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n    for (;;) c();\n  }\n}\n"
    text += "void g() {\n  while (a) b();\n}\n"
    assert [loop.begin.line for loop in loops_of_c(text).loops] == [7, 11]


def test_fixed_form_has_labels_continuations_and_comments():
    text = "      DO 10 I = 1,\n     &    N\nC     DO J = 1, N\n        DO 10 J = 1, M\n"
    text += "   10 A(I) = B(J)\n!$OMP PARALLEL DO\n      DO I = 1, N\n      END DO\n"
    loops = loops_of_fortran(text, True).loops
    assert [(loop.begin.line, loop.end.line, loop.depth) for loop in loops] == [
        (1, 5, 1), (4, 5, 2), (7, 8, 1),
    ]  # fmt: skip
    assert [loop.shared for loop in loops] == [False, False, True]


def refusal(capsys, *words):
    """The sentence with which the command refuses."""
    assert main(["loopmarks", *map(str, words), "--json"]) == 2
    said = capsys.readouterr()
    sentence = json.loads(said.out)["error"]
    assert said.err == f"phasewise: {sentence}\n" and "\n" not in sentence
    return sentence


def test_a_file_that_does_not_compile_is_refused_with_the_compiler_s_words(tmp_path, capsys):
    file = tmp_path / "wave.c"
    file.write_text("void f(double* a) { for (int i = 0; i < n; ++i) a[i] = 0; }\n")
    one_sentence(refusal(capsys, file), file, "gcc", "'n' undeclared")


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("gcc -O3 {other}", ("{other}", "{file}", "optimisation record", "--compile")),
        ("true {file}", ("{file}", "optimisation record", "gcc", "gfortran", "true {file}")),
        ("no-such-compiler {file}", ("no-such-compiler", "{file}", "--compile")),
        ("gcc '-O3 {file}", ("--compile", "gcc '-O3 {file}", "quotation")),
        (" ", ("--compile", "empty")),
        ("gcc -O2", ("--compile", "'gcc -O2'", "{file}")),
    ],
)
def test_a_command_that_cannot_serve_is_refused(tmp_path, capsys, command, facts):
    names = {"file": tmp_path / "one.c", "other": tmp_path / "two.c"}
    for path in names.values():
        path.write_text("int f(int* a) { for (int i = 0; i < 9; ++i) a[i] = i; return 1; }\n")
    sentence = refusal(capsys, names["file"], "--compile", command.format(**names))
    one_sentence(sentence, *(fact.format(**names) for fact in facts))


def test_compile_without_a_command_or_a_file_is_refused(tmp_path, capsys):
    file = tmp_path / "one.c"
    file.write_text("int f(int* a) { for (int i = 0; i < 9; ++i) a[i] = i; return 1; }\n")
    one_sentence(refusal(capsys, file, "--compile"), "--compile", "empty", "gcc")
    one_sentence(refusal(capsys, "--compile"), "FILE")


def test_a_file_that_cannot_be_read_or_is_of_no_known_language_is_refused(tmp_path, capsys):
    for name, facts in (("none.c", (os.strerror(errno.ENOENT),)), ("a.py", ("language", ".f90"))):
        one_sentence(refusal(capsys, tmp_path / name), tmp_path / name, *facts)


def test_a_header_is_marked_by_the_source_that_includes_it(tmp_path):
    header, source = tmp_path / "add.h", tmp_path / "use.c"
    header.write_text("static void add(int* a, int n) { for (int i = 0; i < n; ++i) a[i] += 2; }\n")
    source.write_text('#include "add.h"\nvoid use(int* a, int n) {\n  add(a, n);\n}\n')
    by_command = loopmarks(header, f"gcc -O3 {source}")
    for found in (by_command, loopmarks(header, through=source)):
        assert re.fullmatch(r"V\d+-----<>", found.lines[0].marks)
    assert loopmarks(source, f"gcc -O3 {source}").lines[2].marks == "i"


def test_brackets_without_end_are_one_sentence(tmp_path):
    file = tmp_path / "deep.c"
    file.write_text("int x = " + "(" * 5000)
    with refused(file, "brackets"):
        loopmarks(file)
