source_filename = "control.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@f.t = internal unnamed_addr constant [2 x ptr] [ptr blockaddress(@f, %11), ptr blockaddress(@f, %18)], align 16

define dso_local range(i32 -1, 3) i32 @f(i32 noundef %0) local_unnamed_addr {
  br label %2

2:                                                ; preds = %21, %1
  %3 = phi i32 [ %0, %1 ], [ %22, %21 ]
  switch i32 %3, label %6 [
    i32 1, label %23
    i32 5, label %4
    i32 6, label %4
  ]

4:                                                ; preds = %2, %2
  %5 = add nsw i32 %3, 1
  br label %11

6:                                                ; preds = %2
  %7 = and i32 %3, 1
  %8 = zext nneg i32 %7 to i64
  %9 = getelementptr inbounds nuw ptr, ptr @f.t, i64 %8
  %10 = load ptr, ptr %9, align 8
  indirectbr ptr %10, [label %11, label %18]

11:                                               ; preds = %6, %4
  %12 = phi i32 [ %3, %6 ], [ %5, %4 ]
  %13 = add i32 %12, 1
  %14 = tail call i32 @llvm.smin.i32(i32 %12, i32 3)
  %15 = sub i32 %13, %14
  %16 = and i32 %15, -2
  %17 = sub i32 %12, %16
  br label %18

18:                                               ; preds = %11, %6
  %19 = phi i32 [ %3, %6 ], [ %17, %11 ]
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %23, label %21

21:                                               ; preds = %18
  %22 = add nsw i32 %19, -1
  br label %2

23:                                               ; preds = %18, %2
  %24 = phi i32 [ 2, %2 ], [ -1, %18 ]
  ret i32 %24
}

declare i32 @llvm.smin.i32(i32, i32)



