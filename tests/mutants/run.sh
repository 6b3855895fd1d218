#!/usr/bin/env bash
# Breaks the optimal search in three ways, one at a time, and expects the differential and the counting test to notice.
# Works on a copy of the sources; uses the target folder of the repository unless CARGO_TARGET_DIR says otherwise.
#
#   tests/mutants/run.sh [FIRST..LAST]    seeds to try, 0..200 unless told
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")
export SLEAVE_CAMPAIGN=${1:-0..200} SLEAVE_POR=optimal CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/mutants}

search=crates/explore/src/optimal.rs
sequence=crates/explore/src/optimal/sequence.rs

# mutant NAME FILE FROM TO: replaces the text, which must be there, and expects a failing test.
mutant() {
    local name=$1 file=$2
    FROM=$3 TO=$4 perl -0pe 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "the text to break is gone\n"' "$root/$file" >"$copy/$file"
    (cd "$copy" && cargo test --quiet --release -p verify --test differential --no-run)
    if (cd "$copy" && cargo test --quiet --release -p verify --test differential optimal >/dev/null 2>&1); then
        echo "$name: NOT noticed"
        exit 1
    fi
    echo "$name: noticed"
    cp "$root/$file" "$copy/$file"
}

mutant "race reversal: every other target is left out" $search \
    'if self.can_revisit(target, &needs, n) {' 'if target % 2 == 0 && self.can_revisit(target, &needs, n) {'
mutant "instead of sleep sets: steps that overtake others are not looked at" $search \
    'if step.overtaken > 0' 'if false'
mutant "happens-before: reads do not lie before the write that follows" $sequence \
    'self.join(j as usize, 3, i, 3);
                self.steps' 'self.steps'
