! A pipeline: each rank waits for a block of its left neighbour, works on it, and passes it on. While
! the pipeline fills, all ranks but the first wait.
!
!     mpiexec -n 4 ./pipeline
program pipeline
  use mpi_f08
  implicit none
  integer, parameter :: length = 4096, blocks = 200
  real(8) :: values(length)
  integer :: rank, ranks, block

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  values = 1
  do block = 1, blocks
    if (rank > 0) call MPI_Recv(values, length, MPI_REAL8, rank - 1, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call work(values)
    if (rank < ranks - 1) call MPI_Send(values, length, MPI_REAL8, rank + 1, block, MPI_COMM_WORLD)
  end do
  call MPI_Finalize()

contains

  subroutine work(values)
    real(8), intent(inout) :: values(:)
    integer :: pass
    do pass = 1, 10
      values = 0.5d0 * values + sqrt(abs(values))
    end do
  end subroutine
end program
