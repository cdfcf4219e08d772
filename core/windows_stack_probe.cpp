// Compilers call this if a function's variables take a page of stack or more: Windows gives a
// stack its pages one after another, so each must be touched before the next. MinGW's own touches
// all of them at every call, and those of a batch of the kernels are 35, each of whose first bytes
// share one place in the cache. This one asks what the thread has already.

// The size in rax is kept, as all registers are. %gs:16 is where the thread's stack ends for now;
// what touches the guard page there moves it.
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
