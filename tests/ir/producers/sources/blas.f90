! SPDX-License-Identifier: Apache-2.0

! Fortran: procedures that run on the device, with a derived type, complex numbers and intrinsics.

module blas
  implicit none
  type :: row
    integer :: length
    real(8) :: values(4)
  end type
contains
  real(8) function dot(x, y)
    !$omp declare target
    type(row), intent(in) :: x, y
    integer :: i
    dot = 0
    do i = 1, min(x%length, y%length)
      dot = dot + x%values(i) * y%values(i)
    end do
  end function

  subroutine rotate(z, angle, bits)
    !$omp declare target
    complex, intent(inout) :: z
    real, intent(in) :: angle
    integer, intent(inout) :: bits
    z = z * cmplx(cos(angle), sin(angle))
    bits = ieor(ishft(bits, 3), popcnt(bits))
  end subroutine
end module
