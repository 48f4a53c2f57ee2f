! Twelve loops whose fate is known, two of them statements of whole arrays.
subroutine twelve(a, b, c, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m), b(n, m), c(n)
  integer :: i, j, doing
  character(20) :: text
  text = "do i = 1, n" ! do j = 1, m
  doing = 3
  do j = 1, m
    do i = 1, n
      a(i, j) = a(i, j) + 2 * b(i, j)
    end do
  end do
  b = a + 1
  outer: do i = 2, n
    c(i) = c(i - 1) * 0.5d0 + c(i)
  enddo outer
  !$omp parallel do
  do 27 j = 1, m
    do 25 i = 1, n
      b(i, j) = sqrt(a(i, j))
25  continue
27 continue
  do i = 1, n
    if (c(i) < doing) exit
    c(i) = 1
  end do
  do while (c(1) > 0)
    c(1) = c(1) - c(2); c(2) = c(2) + 1
  end do
  do concurrent (i = 1:n)
    c(i) = c(i) + &
      & 3 * a(i, 1)
  end do
  DO j = 1, m ; DO i = 1, n
    a(i, j) = b(j, 1)
  ENDDO ; ENDDO
  c(:) = c * a(:, 1)
end subroutine
