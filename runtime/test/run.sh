#!/bin/bash
# Builds the runtime natively, as bitcode is built for the machine, and compares it with glibc: for 64 and for 32 bits.
# Prints "N passed, M failed" per test and in total; the exit status is 0 if nothing failed.
set -u
cd "$(dirname "$0")" || exit 2
clang=${CLANG:-clang-22}
objcopy=${OBJCOPY:-objcopy}
dis=${LLVM_DIS:-llvm-dis-22}
nm=${LLVM_NM:-llvm-nm-22}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The flags of the bitcode build (README.md).
flags=(-std=gnu17 -O0 -Xclang -disable-O0-optnone -fno-builtin -ffreestanding -Wall -Wextra -Werror)
# Undefined behaviour of our own is a crash here; no run-time library is needed for that.
sanitize=(-fsanitize=undefined -fno-sanitize=function -fsanitize-trap=undefined)

# Everything that the runtime may call and does not define. A new name here is a new duty of the machine.
primitives='__errno_location __sleave_assume __sleave_input __sleave_thread_id __sleave_unsupported
            __sleave_beyond __sleave_byte __sleave_environment __sleave_environment_is_whole __sleave_fixed_input __sleave_input_length __sleave_make_symbolic __sleave_malloc
            __sleave_stdin __sleave_stdin_size __sleave_text __sleave_uses_descriptors environ realloc
            __sleave_construct __sleave_destruct __sleave_exit __sleave_once_enter __sleave_once_exit __sleave_once_leave __sleave_throw
            __sleave_uses_thread_locals __sleave_wait_alone __VERIFIER_atomic_begin __VERIFIER_atomic_end __cxa_pure_virtual
            _ZSt9terminatev fprintf free malloc memcpy memmove memset printf sched_yield
            pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait
            pthread_create pthread_detach pthread_exit pthread_join pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock
            pthread_mutex_timedlock pthread_mutex_trylock pthread_mutex_unlock pthread_self'

passed=0 failed=0

expect() { # description, condition's exit status
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}

for bits in 64 32; do
    dir=$work/$bits
    mkdir "$dir"
    for source in ../*.c; do
        name=$(basename "$source" .c)
        "$clang" -m$bits "${flags[@]}" -emit-llvm -c "$source" -o "$dir/$name.bc"
        expect "$name.c compiles without a warning for $bits bits" $?
    done

    defined=$("$nm" -g --defined-only "$dir"/*.bc | awk 'NF == 3 { print $3 }' | sort)
    expect "no name is defined twice" "$(echo "$defined" | uniq -d | wc -l)"
    strange=$("$nm" -u "$dir"/*.bc | awk '$1 == "U" && $2 != "_GLOBAL_OFFSET_TABLE_" { print $2 }' | sort -u |
        comm -23 - <({ echo "$defined"; printf '%s\n' $primitives; } | sort -u))
    expect "calls nothing but primitives ($bits bits): $strange" "$(echo -n "$strange" | wc -w)"

    # A function that is a builtin must not have been compiled to a call of itself.
    recursive=$("$dis" "$dir"/math.bc -o - | awk -F '[@(]' '/^define/ { self = $2 } /call/ && index($0, "@" self "(") { print self }')
    expect "math.c compiles to intrinsics ($bits bits): $recursive" "$(echo -n "$recursive" | wc -w)"

    # The prefix is put on in the object files; but in the source of math.c, whose intrinsics natively become calls of glibc's functions.
    echo "$defined" | awk '{ print $1, "sl_" $1 }' >"$dir/names"
    for source in ../*.c; do
        object=$dir/$(basename "$source" .c).o
        renamed=()
        if [ "$(basename "$source")" = math.c ]; then
            mapfile -t renamed < <("$nm" -g --defined-only "$dir/math.bc" | awk '{ print "-D" $3 "=sl_" $3 }')
        fi
        "$clang" -m$bits "${flags[@]}" "${sanitize[@]}" "${renamed[@]}" -fPIE -c "$source" -o "$object" &&
            { [ ${#renamed[@]} -gt 0 ] || "$objcopy" --redefine-syms="$dir/names" "$object"; }
        expect "$object" $?
    done
    ar rc "$dir/runtime.a" "$dir"/*.o

    for test in string ctype sort number scan math misc abi; do
        "$clang" -m$bits -std=gnu17 -O1 -fno-builtin -Wall -Wextra -Werror -Wno-unused-function \
            "$test.c" primitives.c "$dir/runtime.a" -lm -o "$dir/$test"
        expect "$test builds" $?
        output=$("$dir/$test" 2>&1)
        status=$?
        echo "$test ($bits bits): $output"
        counts=$(echo "$output" | sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
        if [ -z "$counts" ]; then
            expect "$test ended with status $status" 1
        else
            passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
        fi
    done
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
