; Integers of unusual widths, aggregates in registers, select and freeze.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @reach_error()

define i32 @main() {
entry:
  %t = trunc i32 200 to i7
  %s = sext i7 %t to i33
  %ok1 = icmp eq i33 %s, -56
  %pair0 = insertvalue { i5, i64 } undef, i5 -1, 0
  %pair1 = insertvalue { i5, i64 } %pair0, i64 9, 1
  %five = extractvalue { i5, i64 } %pair1, 0
  %wide = zext i5 %five to i64
  %ok2 = icmp eq i64 %wide, 31
  %both = and i1 %ok1, %ok2
  %frozen = freeze i1 %both
  %code = select i1 %frozen, i32 0, i32 1
  switch i32 %code, label %bad [ i32 0, label %done ]
bad:
  call void @reach_error()
  br label %done
done:
  ret i32 0
}
