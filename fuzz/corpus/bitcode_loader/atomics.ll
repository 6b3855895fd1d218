source_filename = "atomics.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@a = dso_local global i32 0, align 4
@b = dso_local global i64 0, align 8
@p = dso_local local_unnamed_addr global ptr null, align 8

define dso_local i32 @f(i32 noundef %0) local_unnamed_addr {
  %2 = cmpxchg weak ptr @a, i32 3, i32 %0 seq_cst seq_cst, align 4
  fence seq_cst
  %3 = atomicrmw add ptr @a, i32 %0 seq_cst, align 4
  %4 = atomicrmw xchg ptr @b, i64 7 seq_cst, align 8
  %5 = trunc i64 %4 to i32
  %6 = add nsw i32 %3, %5
  %7 = load atomic i64, ptr @p seq_cst, align 8
  %8 = icmp ne i64 %7, 0
  %9 = zext i1 %8 to i32
  %10 = add nsw i32 %6, %9
  ret i32 %10
}



