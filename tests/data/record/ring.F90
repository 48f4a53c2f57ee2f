! A ring of messages and two collectives, by each of the three interfaces of Fortran.
program ring
#if defined(USE_F08)
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
#else
#if defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: requests(2), status(MPI_STATUS_SIZE)
#endif
  integer :: rank, ranks, error, turn, next, before
  double precision :: out(8), into(8), total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  out = 1.0d0
  do turn = 1, 10
    call MPI_Irecv(into, 8, MPI_DOUBLE_PRECISION, before, turn, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(out, 8, MPI_DOUBLE_PRECISION, next, turn, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Sendrecv(out, 8, MPI_DOUBLE_PRECISION, next, 0, into, 8, MPI_DOUBLE_PRECISION, before, &
                    0, MPI_COMM_WORLD, status, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Allreduce(out(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program ring
