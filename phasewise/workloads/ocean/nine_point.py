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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Floats, load_core
from phasewise.errors import RunError, StudyError, error_of
from phasewise.mpi.ranks import AgreedError, collectively
from phasewise.workloads.ocean.given import Sea, field, layout_of, operator_of, solver_of
from phasewise.workloads.ocean.table import PCG

T = TypeVar("T")


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
                B-grid. Couplings that lead out of the grid, or to land, do not count. Numbers of
                land that are not finite are taken as 0.
            mask: Whether there is an equation at a cell; all cells if it is left out.
            periodic_x: Whether the last column is coupled with the first one.
            periodic_y: The same of rows.
            process_grid: Ranks along x and y; chosen if it is left out.
            blocks: Cells of a block along x and y; one block a rank if it is left out.
            distribution: Which rank has which block: cartesian, balanced or curve.
            threads: Of this rank.

        Raises:
            StudyError: An array or an argument is none that can be used; it is a ValueError.
        """
        self._ranks = load_core()
        given = {
            "periodic_x": periodic_x, "periodic_y": periodic_y, "process_grid": process_grid,
            "blocks": blocks, "distribution": distribution, "threads": threads,
        }  # fmt: skip

        def checked() -> tuple[dict[str, Any], dict[str, Floats], Sea]:
            setting = layout_of(given)
            periodic = setting["periodic_y"], setting["periodic_x"]
            return setting, *operator_of(coefficients, mask, periodic)

        self._setting, self._arrays, self._sea = self._agreed(checked)
        self.shape: tuple[int, int] = cast(tuple[int, int], self._sea.shape)
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
            b: The right-hand side; land does not count, and may have NaN.
            first_guess: Zero if it is left out; land does not count.
            solver: pcg, chrongear, pipelined (conjugate gradients with two sums an iteration, with
                one, and with one that is hidden) or pcsi (Chebyshev's iteration, without sums).
            preconditioner: none, diagonal or evp (exact solutions of blocks).
            evp_block: The most cells of these blocks along x and y.
            tolerance: Of the length of the residual over that of b, 1e-16 to 0.1.
            iterations: A fixed number, 1 or more, without regard to the tolerance.
            most_iterations: After which a solve is given up.
            check_every: Iterations of pcsi between checks of the residual.
            iterations_per_exchange: 2: two iterations of pcsi, without evp, share an exchange.
                Then iterations, most_iterations and check_every are even.
            solver_halo: The protocol of the messages between blocks.
            solver_sum: The algorithm of the sums over ranks.
            solver_sum_protocol: The protocol of their messages.

        Raises:
            StudyError: An argument is none that can be used, or blocks are too large for evp; it is
                a ValueError.
            RunError: The solver does not converge, or the operator is not positive.
        """
        given = {
            "solver": solver, "preconditioner": preconditioner, "evp_block": evp_block,
            "tolerance": tolerance, "iterations": iterations, "most_iterations": most_iterations,
            "check_every": check_every, "iterations_per_exchange": iterations_per_exchange,
            "solver_halo": solver_halo, "solver_sum": solver_sum,
            "solver_sum_protocol": solver_sum_protocol,
        }  # fmt: skip

        def checked() -> tuple[dict[str, Any], Floats, Floats]:
            guess = np.zeros(self.shape) if first_guess is None else first_guess
            return (
                solver_of(given),
                field(b, "b", self._sea),
                field(guess, "first_guess", self._sea),
            )

        own, right, guess = self._agreed(checked)
        core = self._prepared(own)
        x = self._agreed(lambda: _called(core.solve, right, guess))
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
        # Conjugate gradients prepare the preconditioner alone.
        given = {"solver": PCG, "preconditioner": preconditioner, "evp_block": evp_block}
        own, right = self._agreed(lambda: (solver_of(given), field(r, "r", self._sea)))
        core = self._prepared(own)
        return cast(Floats, self._agreed(lambda: _called(core.precondition, right)))

    def _prepared(self, own: dict[str, Any]) -> Any:
        """The solver of the core with these settings, which is kept for the next solve."""
        if self._core is None or self._of != own:
            made = cast(Any, self._ranks).NinePointSolver
            mask = self._sea.astype(np.uint8)
            self._core = None
            self._core = self._agreed(
                lambda: _called(made, self._arrays, mask, self._setting | own)
            )
            self._of = own
        return self._core

    def _agreed(self, action: Callable[[], T]) -> T:
        """What an action returns; an error of any rank is raised on all, in its own kind."""
        try:
            return collectively(self._ranks, action)
        except AgreedError as error:
            raise error_of(error.exit_status, str(error)) from None


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
