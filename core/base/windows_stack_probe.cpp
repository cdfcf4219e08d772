// Replaces MinGW's ___chkstk_ms. A compiled function calls it if the function's variables need one
// page of stack or more. Windows grows a stack page by page, so the program must touch each page
// before the next.
//
// MinGW's version touches all these pages in every call. In the kernels, a function that counts a
// batch needs 35 pages. The 35 touched bytes are one page apart, so all of them compete for one set
// of the L1 cache. This version touches only pages that the thread does not have yet.

// Preserves all registers. The caller passes the size of its variables in rax. %gs:16 has the
// lowest address of the thread's stack so far. If the program touches the guard page below this
// address, Windows adds this page to the stack.
asm(R"(
  .text
  .globl ___chkstk_ms
  .p2align 4
  .def ___chkstk_ms
  .scl 2
  .type 32
  .endef
  .seh_proc ___chkstk_ms
___chkstk_ms:
  pushq %rcx
  .seh_pushreg %rcx
  pushq %rax
  .seh_pushreg %rax
  .seh_endprologue
  leaq 24(%rsp), %rcx
  subq %rax, %rcx
  movq %gs:16, %rax
  cmpq %rax, %rcx
  jae 2f
1:
  subq $4096, %rax
  orb $0, (%rax)
  cmpq %rcx, %rax
  ja 1b
2:
  popq %rax
  popq %rcx
  ret
  .seh_endproc
)");
