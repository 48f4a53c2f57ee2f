"""Equations of nine points on a grid with land, on one rank or on many.

>>> import numpy as np
>>> from phasewise.workloads.ocean import NinePoint
>>> one = np.ones((40, 60))
>>> a = NinePoint({"centre": 5.0 * one, "east": -one, "north": -one, "north_east": 0.0 * one})
>>> found = a.solve(one, solver="pcg", preconditioner="diagonal")
>>> found.iterations < 60
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Floats, load_core
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import collectively
from phasewise.tables.keys import nearest, show

SOLVERS = ("pcg", "chrongear", "pipelined", "pcsi")
PRECONDITIONERS = ("none", "diagonal", "evp")
DISTRIBUTIONS = ("cartesian", "balanced", "curve")
ARRAYS = ("centre", "east", "north", "north_east", "north_west")


@dataclass(frozen=True)
class Solution:
    """The solution of an equation, and how it was found."""

    solution: Floats
    """x, (ny, nx); 0 on land."""
    iterations: int
    residuals: Floats
    """The length of b - A x over that of b, each time that it was known."""
    at: NDArray[np.int64]
    """The iterations after which it was known."""
    bounds: tuple[float, float]
    """Of the eigenvalues of the preconditioned operator. pcsi finds them before the first solve;
    those of other solvers follow from their iterations, and lie within the true ones.
    """
    seconds: float
    """Wall-clock time of the solve on this rank."""
    processor_seconds: float
    """The time of its processor, with all threads."""

    @property
    def residual(self) -> float:
        """The last of the residuals."""
        return float(self.residuals[-1])

    @property
    def condition(self) -> float:
        """The condition number of the preconditioned operator, by the bounds."""
        return self.bounds[1] / self.bounds[0] if self.bounds[0] > 0 else float("inf")


class NinePoint:
    """A symmetric positive operator that couples each cell of a grid with its eight neighbours.

    Arrays are (ny, nx), with x along their rows. Under mpiexec all ranks hand over the same whole
    arrays, call the same methods, and get the whole solution, which has the same bits on any
    number of ranks and threads.
    """

    def __init__(
        self,
        coefficients: Mapping[str, ArrayLike] | Any,
        mask: ArrayLike | None = None,
        *,
        periodic_x: bool = False,
        periodic_y: bool = False,
        process_grid: tuple[int, int] | None = None,
        blocks: tuple[int, int] | None = None,
        distribution: str = "cartesian",
        threads: int = 1,
    ) -> None:
        """The operator of some coefficients; collective.

        Args:
            coefficients: A mapping, or an object with attributes: `centre`, and the couplings of
                cell (j, i) with its neighbours: `east` with (j, i + 1), `north` with (j + 1, i),
                `north_east` with (j + 1, i + 1). `north_west`, at the same corner as `north_east`,
                couples (j, i + 1) with (j + 1, i); without it, it is equal to `north_east`, as on a
                B-grid. Couplings that lead out of the grid, or to land, do not count.
            mask: Whether there is an equation at a cell; all cells if it is left out.
            periodic_x: Whether the last column is coupled with the first one.
            periodic_y: The same of rows.
            process_grid: Ranks along x and y; chosen if it is left out.
            blocks: Cells of a block along x and y; one block a rank if it is left out.
            distribution: Which rank has which block: cartesian, balanced or curve.
            threads: Of this rank.

        Raises:
            StudyError: An array or an argument is none that can be used.
        """
        self._ranks = load_core()

        def checked() -> tuple[dict[str, Floats], NDArray[np.uint8]]:
            _check_name("distribution", distribution, DISTRIBUTIONS)
            return _arrays(coefficients, mask)

        self._arrays, self._mask = collectively(self._ranks, checked)
        self.shape: tuple[int, int] = cast(tuple[int, int], self._mask.shape)
        self._setting: dict[str, Any] = {
            "periodic_x": periodic_x,
            "periodic_y": periodic_y,
            "process_grid": list(process_grid or (0, 0)),
            "blocks": list(blocks or (0, 0)),
            "distribution": distribution,
            "threads": threads,
        }
        self._core: Any = None
        self._of: dict[str, Any] = {}

    def solve(
        self,
        b: ArrayLike,
        first_guess: ArrayLike | None = None,
        *,
        solver: str = "pcsi",
        preconditioner: str = "evp",
        evp_block: tuple[int, int] = (12, 12),
        tolerance: float = 1e-13,
        iterations: int | None = None,
        most_iterations: int = 2000,
        check_every: int = 10,
        iterations_per_exchange: int = 1,
        solver_halo: str = "irecv-isend",
        solver_sum: str = "recursive-doubling",
        solver_sum_protocol: str = "irecv-isend",
    ) -> Solution:
        """x of A x = b; collective. What was prepared for a solve serves the next one with the same
        arguments.

        Args:
            b: The right-hand side; land does not count.
            first_guess: Zero if it is left out.
            solver: pcg, chrongear, pipelined (conjugate gradients with two sums an iteration, with
                one, and with one that is hidden) or pcsi (Chebyshev's iteration, without sums).
            preconditioner: none, diagonal or evp (exact solutions of blocks).
            evp_block: The most cells of these blocks along x and y.
            tolerance: Of the length of the residual over that of b.
            iterations: A fixed number, without regard to the tolerance.
            most_iterations: After which a solve is given up.
            check_every: Iterations of pcsi between checks of the residual.
            iterations_per_exchange: 2: two iterations of pcsi, without evp, share an exchange.
            solver_halo: The protocol of the messages between blocks.
            solver_sum: The algorithm of the sums over ranks.
            solver_sum_protocol: The protocol of their messages.

        Raises:
            StudyError: An argument is none that can be used; blocks are too large for evp.
            RunError: The solver does not converge, or the operator is not positive.
        """
        own = {
            "solver": solver, "preconditioner": preconditioner, "evp_block": list(evp_block),
            "tolerance": tolerance if iterations is None else 0.0,
            "iterations": iterations or 0, "most_iterations": most_iterations,
            "check_every": check_every, "iterations_per_exchange": iterations_per_exchange,
            "solver_halo": solver_halo, "solver_sum": solver_sum,
            "solver_sum_protocol": solver_sum_protocol,
        }  # fmt: skip

        def checked() -> tuple[Floats, Floats]:
            _check_setting(own)
            guess = np.zeros(self.shape) if first_guess is None else first_guess
            return _whole(b, "b", self.shape), _whole(guess, "first_guess", self.shape)

        right, guess = collectively(self._ranks, checked)
        core = self._prepared(own)
        x = collectively(self._ranks, lambda: _called(core.solve, right, guess))
        found = core.solved()
        if iterations is None and not found["converged"]:
            raise RunError(
                f"{solver} with {preconditioner} does not converge: after {found['iterations']} "
                f"iterations the residual is {found['residual']:.2g} of the right-hand side, and "
                f"{tolerance:g} was asked for; the condition number is {found['condition']:.3g}"
            )
        return Solution(
            solution=x,
            iterations=found["iterations"],
            residuals=np.array(found["residuals"]),
            at=np.array(found["at"]),
            bounds=tuple(found["bounds"]),
            seconds=found["seconds"],
            processor_seconds=found["processor_seconds"],
        )

    def precondition(
        self, r: ArrayLike, preconditioner: str = "evp", evp_block: tuple[int, int] = (12, 12)
    ) -> Floats:
        """The inverse of the preconditioner times r; collective."""
        own = _DEFAULT | {"preconditioner": preconditioner, "evp_block": list(evp_block)}

        def checked() -> Floats:
            _check_setting(own)
            return _whole(r, "r", self.shape)

        given = collectively(self._ranks, checked)
        core = self._prepared(own)
        return cast(Floats, collectively(self._ranks, lambda: _called(core.precondition, given)))

    def _prepared(self, own: dict[str, Any]) -> Any:
        """The solver of the core with these settings, which is kept for the next solve."""
        if self._core is None or self._of != own:
            made = cast(Any, self._ranks).NinePointSolver
            self._core = None
            self._core = collectively(
                self._ranks,
                lambda: _called(made, self._arrays, self._mask, self._setting | own),
            )
            self._of = own
        return self._core


_DEFAULT: dict[str, Any] = {
    "solver": "pcg", "tolerance": 1e-13, "iterations": 0, "most_iterations": 2000,
    "check_every": 10, "iterations_per_exchange": 1, "solver_halo": "irecv-isend",
    "solver_sum": "recursive-doubling", "solver_sum_protocol": "irecv-isend",
}  # fmt: skip


def _called(function: Any, *arguments: Any) -> Any:
    """What a function of the core returns; its errors become ours."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise StudyError(str(error)) from None
    except RuntimeError as error:
        raise RunError(str(error)) from None
    except MemoryError:
        raise StudyError("not enough memory for the solver") from None


def _check_name(what: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise StudyError(f"{what} = {show(given)} is not known{nearest(str(given), known)}")


def _check_setting(own: dict[str, Any]) -> None:
    # The command finds workloads by importing them; tables of keys are read only where needed.
    from phasewise.workload.protocols import PROTOCOLS
    from phasewise.workloads.ocean.communication import ADDING, SUMS

    _check_name("solver", own["solver"], SOLVERS)
    _check_name("preconditioner", own["preconditioner"], PRECONDITIONERS)
    _check_name("solver_halo", own["solver_halo"], PROTOCOLS)
    _check_name("solver_sum", own["solver_sum"], SUMS)
    _check_name("solver_sum_protocol", own["solver_sum_protocol"], PROTOCOLS)
    if own["solver_sum_protocol"] not in ADDING:
        raise StudyError(
            f"solver_sum_protocol = {show(own['solver_sum_protocol'])} stores what arrives and "
            f"cannot add it; those that can are {', '.join(ADDING)}"
        )
    if min(own["evp_block"]) < 2:
        raise StudyError(f"evp_block = {show(own['evp_block'])}: blocks have 2 x 2 cells or more")
    for name in ("most_iterations", "check_every"):
        if own[name] < 1:
            raise StudyError(f"{name} = {own[name]} must be at least 1")
    per = own["iterations_per_exchange"]
    if per not in (1, 2) or (
        per == 2 and (own["solver"] != "pcsi" or own["preconditioner"] == "evp")
    ):
        raise StudyError(
            f"iterations_per_exchange = {per}: it is 1, or 2 with solver = 'pcsi' and "
            "preconditioner = 'none' or 'diagonal'"
        )


def _whole(given: ArrayLike, what: str, shape: tuple[int, int] | None) -> Floats:
    """An array of finite numbers of this shape."""
    try:
        found = np.ascontiguousarray(given, dtype=np.float64)
    except (ValueError, TypeError):
        raise StudyError(f"{what} must be an array of real numbers") from None
    if found.ndim != 2 or (shape is not None and found.shape != shape):
        wanted = "two axes" if shape is None else f"the shape {shape}"
        raise StudyError(f"{what} has the shape {found.shape}, and {wanted} is needed")
    if not np.isfinite(found).all():
        raise StudyError(f"{what} has numbers that are not finite")
    return found


def _arrays(
    coefficients: Mapping[str, ArrayLike] | Any, mask: ArrayLike | None
) -> tuple[dict[str, Floats], NDArray[np.uint8]]:
    """All coefficients and the mask."""

    def given(name: str) -> Any:
        if isinstance(coefficients, Mapping):
            return coefficients.get(name)
        return getattr(coefficients, name, None)

    if isinstance(coefficients, Mapping):
        for name in coefficients:
            _check_name("the coefficient", name, ARRAYS)
    centre = given("centre")
    if centre is None:
        raise StudyError("the coefficient centre is missing")
    found = {"centre": _whole(centre, "centre", None)}
    shape = cast(tuple[int, int], found["centre"].shape)
    for name in ("east", "north", "north_east"):
        if given(name) is None:
            raise StudyError(f"the coefficient {name} is missing")
        found[name] = _whole(given(name), name, shape)
    west = given("north_west")
    found["north_west"] = found["north_east"] if west is None else _whole(west, "north_west", shape)
    sea = np.ones(shape, np.uint8) if mask is None else np.asarray(mask)
    if sea.shape != shape:
        raise StudyError(f"the mask has the shape {sea.shape}, and that of centre is {shape}")
    sea = np.ascontiguousarray(sea != 0, dtype=np.uint8)
    if not sea.any():
        raise StudyError("the mask is land alone, and leaves no equation")
    found["centre"] = np.where(sea != 0, found["centre"], 0.0)
    if (found["centre"][sea != 0] <= 0).any():
        j, i = np.argwhere((sea != 0) & (found["centre"] <= 0))[0]
        raise StudyError(
            f"the operator is not positive: its centre is {found['centre'][j, i]:g} at cell "
            f"({j}, {i})"
        )
    return found, sea
