! SPDX-License-Identifier: Apache-2.0

! Fortran: a target region of OpenMP.

subroutine stencil(n, a, b)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n)
  real, intent(out) :: b(n)
  integer :: i
  !$omp target teams distribute parallel do map(to: a) map(from: b)
  do i = 2, n - 1
    b(i) = 0.25 * a(i - 1) + 0.5 * a(i) + 0.25 * a(i + 1)
  end do
end subroutine
