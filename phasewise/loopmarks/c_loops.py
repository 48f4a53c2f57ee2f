"""The loops of a C or C++ source, found without a compiler: strings, comments and directives are
passed over, and statements are followed through their brackets, also those of lambdas.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from phasewise.errors import StudyError
from phasewise.loopmarks.loops import Loop, Loops, Place

_TOKEN = re.compile(
    r"""
    (?P<directive> ^[^\S\n]*\#(?:\\\n|[^\n])* )
  | (?P<blank> \n | [^\S\n]+ | //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
  | (?P<text> (?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
            | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*' )
  | (?P<number> \.?\d(?:[eEpP][+-]|'?[\w.])* )
  | (?P<word> [^\W\d]\w* )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_PRAGMA = re.compile(r"\s*#\s*pragma\s+(?:omp|acc|GCC)\b")
_SHARES = re.compile(r"\b(?:for|taskloop|distribute|loop)\b")
DIRECTIVE = "#pragma"
"""The beginning of a token that holds a directive, which may concern the loop after it."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEGINS = ("for", "while", "do", "if", "switch", "else")
_LEAVES = ("return", "goto", "throw", "co_return")


@dataclass(frozen=True)
class _Token:
    text: str
    place: Place
    end: Place


def loops_of_c(text: str) -> Loops:
    """The loops of a C or C++ source; StudyError if its brackets nest too deeply to be followed."""
    try:
        return _Statements(_tokens(text)).loops()
    except RecursionError:
        raise StudyError("its brackets nest too deeply for its loops to be found") from None


def _tokens(text: str) -> list[_Token]:
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def place(at: int) -> Place:
        line = bisect_right(starts, at)
        return Place(line, at - starts[line - 1] + 1)

    found = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        if match.lastgroup == "blank":
            continue
        if match["directive"] is not None:
            if not _PRAGMA.match(word):
                continue
            word = DIRECTIVE + word.replace("\\\n", " ").partition("pragma")[2]
        found.append(_Token(word, place(match.start()), place(match.end() - 1)))
    return found


class _Open:
    """A loop, a switch or a lambda that is being read."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.leaves = False


class _Statements:
    """Follows the statements of a source and writes down its loops."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._found: list[Loop] = []
        self._bodies: list[tuple[Place, Place]] = []
        self._open: list[_Open] = []

    def loops(self) -> Loops:
        at = 0
        while at < len(self._tokens):
            at = self._statement(at)
            if self._text(at) in (")", "]", "}"):
                at += 1  # a bracket too many, as in a branch that the preprocessor leaves out
        return Loops(tuple(sorted(self._found)), tuple(self._bodies))

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _statement(self, at: int) -> int:
        """Follows the statement that begins at token `at` and returns the token after it."""
        word = self._text(at)
        if word.startswith(DIRECTIVE):
            first = at
            while self._text(at).startswith(DIRECTIVE):
                at += 1
            return self._loop(at, first) if self._text(at) == "for" else at
        if word in ("for", "while") and self._text(at + 1) == "(":
            return self._loop(at)
        if word == "do":
            return self._loop(at)
        if word == "{":
            return self._group(at)
        if word == "switch":
            self._open.append(_Open("switch"))
            after = self._statement(self._group(at + 1))
            self._open.pop()
            return after
        if word == "if":
            return self._branches(at)
        return self._expression(at)

    def _branches(self, at: int) -> int:
        while self._text(at) == "if":
            at += 1
            while self._text(at) not in ("(", "{", ""):
                at += 1  # constexpr
            at = self._statement(self._group(at) if self._text(at) == "(" else at)
            if self._text(at) != "else":
                return at
            at += 1
        return self._statement(at)

    def _loop(self, at: int, directive: int | None = None) -> int:
        """Follows the loop at token `at`, whose directives begin at token `directive`."""
        first = at if directive is None else directive
        shared = any(_SHARES.search(token.text) for token in self._tokens[first:at])
        begin, last = self._tokens[at].place, self._text(at) == "do"
        own = _Open("loop")
        depth = 1 + sum(entry.kind == "loop" for entry in self._open)
        self._open.append(own)
        body = at + 1 if last else self._group(at + 1)
        head = self._tokens[body - 1].end
        after = self._statement(body)
        if last and self._text(after) == "while":
            after = self._group(after + 1)
            after += self._text(after) == ";"
        self._open.pop()
        end = self._tokens[after - 1].end
        asked = self._tokens[first].place
        self._found.append(Loop(begin, asked, head, end, depth, shared, own.leaves))
        return after

    def _group(self, at: int) -> int:
        """Follows what stands in brackets from token `at` on and returns the token after the
        closing one.
        """
        closing = _CLOSING.get(self._text(at))
        if closing is None:
            return min(at + 1, len(self._tokens))
        at += 1
        while at < len(self._tokens) and self._text(at) not in (")", "]", "}"):
            at = self._statement(at)
        return at + (self._text(at) == closing)

    def _expression(self, at: int) -> int:
        """Follows an expression up to its semicolon. Braces within it belong to a function, a class
        or a lambda, so that a return or a break inside them ends no loop outside.
        """
        first = at
        while at < len(self._tokens):
            word = self._text(at)
            if word in (";", ":"):  # a label is a statement of its own
                return at + 1
            if word in (")", "]", "}"):
                return at
            if word == "{":
                begin = self._tokens[at].place
                self._open.append(_Open("body"))
                at = self._group(at)
                self._open.pop()
                self._bodies.append((begin, self._tokens[at - 1].end))
            elif at > first and (word in _BEGINS or word.startswith(DIRECTIVE)):
                return at
            elif word in ("(", "["):
                at = self._group(at)
            else:
                self._note(word)
                at += 1
        return at

    def _note(self, word: str) -> None:
        """Writes down which of the loops around a word it may end."""
        if word not in (*_LEAVES, "break"):
            return
        for entry in reversed(self._open):
            if entry.kind == "body":
                return
            entry.leaves = True
            if word == "break":
                return
