! Fortran co-arrays as a transport: all functions of core/comm/transport.h except start.
module phasewise_coarray
  use, intrinsic :: iso_c_binding, only: c_int, c_int8_t, c_int64_t, c_double, c_ptr, c_loc, &
    c_null_ptr
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  private

  integer(c_int8_t), allocatable, target, save :: memory(:)[:]
  ! Atomic integers have 32 bits: a flag holds the low bits of its value, and two values are
  ! compared by their difference, which is small.
  integer(atomic_int_kind), allocatable, save :: flags(:)[:]
  ! A sender may set a flag again before its last clock was read, but not twice: hence two [s].
  real(c_double), allocatable, save :: clocks(:, :)[:]

contains

  function coarray_rank() bind(c) result(rank)
    integer(c_int) :: rank
    rank = this_image() - 1
  end function

  function coarray_ranks() bind(c) result(ranks)
    integer(c_int) :: ranks
    ranks = num_images()
  end function

  function coarray_open(bytes, count) bind(c) result(base)
    integer(c_int64_t), value :: bytes, count
    type(c_ptr) :: base
    sync all
    base = c_null_ptr
    if (.not. grow_flags(count)) return
    if (grow_memory(bytes)) base = c_loc(memory)
  end function

  ! A co-array cannot be resized: an ordinary array of this image keeps its contents meanwhile.
  function grow_memory(bytes) result(done)
    integer(c_int64_t), intent(in) :: bytes
    logical :: done
    integer(c_int8_t), allocatable :: kept(:)
    integer :: status
    done = .true.
    if (allocated(memory)) then
      if (size(memory, kind=c_int64_t) >= bytes) return
      kept = memory
      deallocate(memory)
    else
      allocate(kept(0))
    end if
    allocate(memory(bytes)[*], stat=status)
    done = status == 0
    if (.not. done) return
    memory(:size(kept, kind=c_int64_t)) = kept
    sync all
  end function

  function grow_flags(count) result(done)
    integer(c_int64_t), intent(in) :: count
    logical :: done
    integer(atomic_int_kind), allocatable :: kept_flags(:)
    real(c_double), allocatable :: kept_clocks(:, :)
    integer :: status
    done = .true.
    if (allocated(flags)) then
      if (size(flags, kind=c_int64_t) >= count) return
      kept_flags = flags
      kept_clocks = clocks
      deallocate(flags, clocks)
    else
      allocate(kept_flags(0), kept_clocks(0:1, 0))
    end if
    allocate(flags(count)[*], clocks(0:1, count)[*], stat=status)
    done = status == 0
    if (.not. done) return
    flags = 0
    clocks = 0
    flags(:size(kept_flags)) = kept_flags
    clocks(:, :size(kept_flags)) = kept_clocks
    sync all
  end function

  subroutine coarray_put(peer, offset, data, bytes) bind(c)
    integer(c_int), value :: peer
    integer(c_int64_t), value :: offset, bytes
    integer(c_int8_t), intent(in) :: data(bytes)
    memory(offset + 1 : offset + bytes)[peer + 1] = data
  end subroutine

  subroutine coarray_flush() bind(c)
    sync memory
  end subroutine

  subroutine coarray_set_flag(peer, flag, value, clock) bind(c)
    integer(c_int), value :: peer
    integer(c_int64_t), value :: flag, value
    real(c_double), value :: clock
    clocks(modulo(value, 2_c_int64_t), flag + 1)[peer + 1] = clock
    sync memory
    call atomic_define(flags(flag + 1)[peer + 1], low_bits(value))
  end subroutine

  function coarray_test_flag(flag, value, clock) bind(c) result(reached)
    integer(c_int64_t), value :: flag, value
    real(c_double), intent(out) :: clock
    integer(c_int) :: reached
    integer(atomic_int_kind) :: seen
    reached = 0
    call atomic_ref(seen, flags(flag + 1))
    if (low_bits(int(seen, c_int64_t) - value) < 0) return
    sync memory
    clock = clocks(modulo(value, 2_c_int64_t), flag + 1)
    reached = 1
  end function

  ! The low bits of a number, as a signed integer.
  pure function low_bits(value) result(low)
    integer(c_int64_t), intent(in) :: value
    integer(atomic_int_kind) :: low
    integer(c_int64_t), parameter :: sign_bit = 2_c_int64_t**31
    low = int(ieor(iand(value, 2 * sign_bit - 1), sign_bit) - sign_bit, atomic_int_kind)
  end function

  subroutine coarray_sync() bind(c)
    sync all
  end subroutine

  subroutine coarray_close() bind(c)
    if (allocated(memory)) deallocate(memory)
    if (allocated(flags)) deallocate(flags, clocks)
  end subroutine

end module
