#!/bin/sh
# Compiles the snippets beside this script into the seed corpus of the target `bitcode_loader`.
# Relative names only, so that the result does not depend on where it is made.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-22}
out=../corpus/bitcode_loader
mkdir -p "$out"

compile() { # source, name, flags
    source=$1 name=$2
    shift 2
    "$clang" -emit-llvm -c -fno-ident -fdebug-compilation-dir=. "-fdebug-prefix-map=$PWD=." "$@" "$source" -o "$out/$name.bc"
}

for source in threads.c atomics.c control.c memory.c floats.c varargs.c ints.c asm.c throw.cpp; do
    compile "$source" "${source%.*}" -O0 -Xclang -disable-O0-optnone
done
compile memory.c memory_g -O1 -g
compile control.c control_g32 -O0 -g -m32
compile vector.c vector -O2 -mavx
compile throw.cpp throw_o1 -O1

# As text too: it survives mutation more often.
for source in control.c atomics.c ints.c throw.cpp; do
    "$clang" -emit-llvm -S -fno-ident -O1 "$source" -o - | grep -v -e '^attributes' -e '^!' -e '^;' |
        sed -e 's/ #[0-9]*//g' -e 's/, ![a-z._]* ![0-9]*//g' >"$out/${source%.*}.ll"
done
