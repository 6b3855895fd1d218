; LLVM assembly as input: two threads add to a global atomically, main checks the sum.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@sum = global i32 0, align 4

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @reach_error()

define ptr @worker(ptr %arg) {
  %amount = load i32, ptr %arg, align 4
  %old = atomicrmw add ptr @sum, i32 %amount seq_cst, align 4
  ret ptr null
}

define i32 @main() {
entry:
  %a = alloca i64, align 8
  %b = alloca i64, align 8
  %two = alloca i32, align 4
  %five = alloca i32, align 4
  store i32 2, ptr %two, align 4
  store i32 5, ptr %five, align 4
  %r1 = call i32 @pthread_create(ptr %a, ptr null, ptr @worker, ptr %two)
  %r2 = call i32 @pthread_create(ptr %b, ptr null, ptr @worker, ptr %five)
  %ta = load i64, ptr %a, align 8
  %tb = load i64, ptr %b, align 8
  %j1 = call i32 @pthread_join(i64 %ta, ptr null)
  %j2 = call i32 @pthread_join(i64 %tb, ptr null)
  %final = load i32, ptr @sum, align 4
  %good = icmp eq i32 %final, 7
  br i1 %good, label %done, label %bad
bad:
  call void @reach_error()
  br label %done
done:
  ret i32 0
}
