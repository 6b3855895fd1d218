#!/usr/bin/env bash
# Breaks the searches on purpose, one place at a time, and expects the tests to notice: the comparison with the reference
# interpreter and the count of traces on random programs, up to the first difference, or the programs of `reductions.rs`.
# Works on a copy of the sources in the folder of what is built, CARGO_TARGET_DIR or that of the repository; what is built of the
# copy stays, too, for the next time.
#
#   tests/mutants/run.sh [FIRST..LAST [MODE [NAME]]]    seeds to try, 0..200 unless told; only mutants of this mode (optimal, source, ...)
#                                                       whose name has this in it (a regular expression)
#   tests/mutants/run.sh ci                             two of them; and whether all texts to break are still there
#
# Says "caught" or "NOT CAUGHT" for each, and fails if one was not.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
profile=mutants fixed=
if [ "${1:-}" = ci ]; then
    fixed="sleep set: nobody is woken|race reversal: every other target"
    set -- 0..40
fi
export SLEAVE_CAMPAIGN=${1:-0..200} SLEAVE_FIRST=1 SLEAVE_PROGRAM=programs/waiting/ CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
copy=$CARGO_TARGET_DIR/mutated
mkdir -p "$copy"
# What is gone goes, and what has not changed keeps its time, so that it is not built again.
(cd "$copy" && find . -type f -printf '%P\n') | sort | comm -23 - <(cd "$root" && git ls-files | sort) | while read -r file; do
    rm "$copy/$file"
done
(cd "$root" && git ls-files) | while read -r file; do
    cmp -s "$root/$file" "$copy/$file" || (cd "$root" && cp --parents "$file" "$copy")
done
only=${2:-} named=${3:-}
missed=0

# tests MODE: those that should notice.
tests() {
    case $1 in
    summaries) echo -p verify --test "$1" ;;
    sections) echo -p verify --test predicate sections_that_wait ;;
    loops) echo -p cli --test modes ;;
    memory) echo -p cli --test tiny heap ;;
    ends) echo -p cli --test tiny trees ;;
    trace) echo -p verify --test trace statements_are ;;
    trace-waiting) echo -p verify --test trace waiting_is ;;
    hunt) echo -p verify --test hunt ;;
    trace-memory) echo -p verify --test trace parts_of_memory ;;
    *) echo -p verify --test differential --test reductions ;;
    esac
}

# shellcheck disable=SC2046
build() {
    (cd "$copy" && cargo test --quiet --profile $profile $(tests "$1") --no-run)
}

# notices MODE: whether a test fails. One that hangs has noticed, too.
# shellcheck disable=SC2046
notices() {
    ! (cd "$copy" && SLEAVE_POR=$1 timeout 600 cargo test --quiet --profile $profile $(tests "$1") >/dev/null 2>&1)
}

# break_text FILE FROM TO: in the copy. A text that is gone ends the script.
break_text() {
    FROM=$2 TO=$3 perl -0pe 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "$ENV{FROM}: the text to break is gone\n"' "$root/$1" >"$copy/$1"
}

# mutant MODE NAME FILE FROM TO: replaces the text, which must be there, and expects a failing test.
mutant() {
    local mode=$1 name=$2 file=$3
    [ -z "$only" ] || [ "$only" = "$mode" ] && [[ $name =~ $named ]] || return 0
    break_text "$file" "$4" "$5"
    [ -z "$fixed" ] || [[ $name =~ $fixed ]] || { cp "$root/$file" "$copy/$file"; return 0; }
    build "$mode"
    if notices "$mode"; then
        echo "caught      $mode: $name"
    else
        echo "NOT CAUGHT  $mode: $name"
        missed=1
    fi
    cp "$root/$file" "$copy/$file"
}

revisits=crates/explore/src/optimal/revisits.rs
sequence=crates/explore/src/optimal/sequence.rs
mutant optimal "race reversal: every other target is left out" $revisits \
    'if self.is_maximal_extension(target, &porf_prefix, end) {' 'if target.0 % 2 == 0 && self.is_maximal_extension(target, &porf_prefix, end) {'
mutant optimal "instead of sleep sets: steps that overtake others are not looked at" $revisits \
    'if step.overtaken > 0' 'if false'
mutant optimal "happens-before: reads do not lie before the write that follows" $sequence \
    'join(&mut self.clocks, self.width, [at, id], 3..4);' ''

memo=crates/machine/src/machine/step_memo.rs
mutant naive "remembered steps: what is read does not matter" $memo \
    'place.steps.get(word)' 'place.steps.get(word & !1)'
mutant naive "remembered steps: places are not told apart by what was done before" $memo \
    'if making.is_none() {' 'if t.hot.activity.epoch == 0 {'

dpor=crates/explore/src/dpor.rs
node=crates/explore/src/dpor/node.rs
trace=crates/explore/src/dpor/trace.rs
for mode in source dpor; do
    mutant $mode "race reversal: not at every third place" crates/explore/src/dpor/reversals.rs \
        'Some(thread) => node.add_to_backtrack_set(thread),' 'Some(_) if place % 3 == 2 => {} Some(thread) => node.add_to_backtrack_set(thread),'
done
mutant source "happens-before: what touches the same cell is in no order" $trace \
    'if step.depends_on(other) {' 'if false {'
# Too little order makes the classic algorithm slow, not wrong.
mutant dpor "happens-before: reads are in order" $trace \
    'if step.depends_on(other) {' 'if true {'
mutant source "sleep set: nobody is woken" $node \
    'same_cell.clone().all(|(a, b)| a.commutes_with(b))' 'same_cell.clone().all(|_| true)'
mutant source "waits are not reversed where an execution is cut short" $dpor \
    'finished.or_else(|| self.reverse_waits())' 'finished'
mutant commute "results count as dropped although they are used" crates/machine/src/touch.rs \
    'Use::Used => return false' 'Use::Used => return true'
mutant observers "nothing is ever seen" $dpor \
    'self.observe(&mut step);
        self.reverse_races' 'self.reverse_races'
mutant observers "the last thread that is left looks at nothing" $dpor \
    'observes_last: options.search.independence().observers,' ''

mutant sections "who begins to wait only looks at the condition" crates/explore/src/dependence.rs \
    'Change::Updated(kind) => Access::Update(kind, touch.address, touch.bytes),' 'Change::Updated(_) => Access::Read,'
mutant sections "critical sections race on their first cell alone" crates/explore/src/dpor/races.rs \
    'for effect in &step.effects {' 'for effect in step.effects.iter().take(1) {'

summaries=crates/explore/src/summaries.rs
accesses=crates/explore/src/summaries/accesses.rs
mutant summaries "a pruned state requires nothing" crates/explore/src/summaries/table.rs \
    'conditions: Some(summaries[0].conditions.clone()),' 'conditions: Some(Vec::new()),'
mutant summaries "addresses may differ" crates/machine/src/weakest/state.rs \
    'self.require_equal(pointer, Value::concrete(address))' '{ let _ = (pointer, address); Some(()) }'
mutant summaries "who could not go on may be able to" $summaries \
    'if machine.enabled().iter().any(|e| e.thread == thread) {' 'if true {'
mutant summaries "races with what is pruned are not looked for" crates/explore/src/dpor/pruning.rs \
    'for (access, after) in &known.accesses.visible {
            self.reverse_access_of(*access, after.effects());
        }
        if let' 'if let'
# Random programs hardly ever notice if accesses are said to come after more than they do; a program of its own does.
mutant summaries "an access comes after what it comes after in one execution" $accesses \
    'entry.get_mut().retain_common(after)' '{ let _ = entry.get_mut(); }'
mutant summaries "who slept does not matter" $summaries \
    'None => missing.push((*thread, effects.clone())),' 'None => {}'
mutant summaries "who slept and does not here may access something else" $node \
    'expected.contains(effect);' 'expected.contains(effect) || true;'
mutant summaries "who sleeps there and here may access something else" $summaries \
    'if now.iter().all(|effect| effects.contains(effect)) => {}' 'if now.iter().all(|_| true) => {}'

mutant loops "a thread that reads at an index that is an input does not go round for ever" crates/explore/src/replies/single.rs \
    'self.unless(different, Answer::Number(value))' '{ let _ = (different, value); Only::Several }'
mutant loops "a round that wakes a thread has no effect" crates/machine/src/shims/condition.rs \
    'm.trail.effects += u32::from(!waiters.is_empty());' ''
mutant loops "that a thread would leave its loop is no condition of a summary" crates/explore/src/dpor/pruning.rs \
    'Summary::fine([fine_if, disabled, waiting].concat())' '{ let _ = fine_if; Summary::fine([disabled, waiting].concat()) }'
mutant loops "observers: who waits for ever sees nothing" crates/explore/src/dpor/reversals.rs \
    'for round in self.trace.last_rounds() {' 'for round in self.trace.last_rounds().take(0) {'
mutant loops "no state is left out for what proved to be shared" crates/explore/src/naive.rs \
    'if self.walk.machine.sharing_grew {
            return Flow::Break(Finished::StartOver);
        }
        if self.walk.outcome.stopped' 'if self.walk.outcome.stopped'

mutant loops "races: nobody goes on after a round" crates/machine/src/race.rs \
    'self.goes_on_after_round = program.orders_weakly();' 'let _ = program;'
mutant loops "races: a round may end what others have published" crates/machine/src/race.rs \
    'self.trail.effects += u32::from(ends);' 'let _ = ends;'

mutant ends "whether a thread comes to its end is not in the slice" crates/analysis/src/essential.rs \
    'let is_asked = self.properties.deadlocks;' 'let is_asked = false;'
mutant memory "an access is judged by where it goes alone" crates/machine/src/place.rs \
    'to.bits.wrapping_sub(start) > size' '{ let _ = (start, size); false }'

# The other way round: what is wrong in the static analysis costs time, never a verdict. Searches check what they rely on, and start over
# without it (`machine::premises`), so every program keeps its verdict, and random ones get that of the reference. Counts may change, and
# `unknown` is no verdict.
#
# harmless NAME FILE FROM TO
harmless() {
    local name=$1 file=$2
    [ -z "$only" ] || [ "$only" = analysis ] && [[ $name =~ $named ]] || return 0
    break_text "$file" "$3" "$4"
    [ -z "$fixed" ] || { cp "$root/$file" "$copy/$file"; return 0; }
    (cd "$copy" && cargo test --quiet --profile $profile -p cli --test modes --test tiny --no-run)
    if keeps_verdicts; then
        echo "harmless    analysis: $name"
    else
        echo "HARMFUL     analysis: $name"
        missed=1
    fi
    cp "$root/$file" "$copy/$file"
}

# Whether the default is right about all programs, and the configurations that have a slice about random ones.
keeps_verdicts() (
    cd "$copy"
    export SLEAVE_LENIENT=1 SLEAVE_CAMPAIGN=${CAMPAIGN_OF_SLICES:-0..40}
    unset SLEAVE_PROGRAM
    check() { SLEAVE_CONFIGURATION=$1 timeout 900 cargo test --quiet --profile $profile -p cli --test "$2" >"$CARGO_TARGET_DIR/differences.txt" 2>&1; }
    if check default modes && check default tiny && check "default assertion" tiny && check "naive predicate" tiny &&
        check "source predicate peek summaries" tiny; then
        return 0
    fi
    grep -E "seed|wrong|error" "$CARGO_TARGET_DIR/differences.txt" >&2
    return 1
)

encode=crates/encode/src
mutant trace "order: no from-read edge" crates/smt/src/order/theory.rs \
    'self.add_edge(reader, writer, Why::FromRead { read, write, order })' '{ let _ = (reader, writer, order); Ok(()) }'
mutant trace "locks: sections of one mutex overlap" $encode/unroll/locks.rs \
    'let is_free = self.is(owner, 0);
        let may_be_mine' 'let is_free = self.terms.bool(true);
        let may_be_mine'
mutant trace "exits: open exits of all threads but main are forgotten" $encode/unroll.rs \
    '        } else {
            self.graph.exits.push(Exit {' '        } else if work.thread == ThreadIx::MAIN {
            self.graph.exits.push(Exit {'
mutant trace "guards: a write is there although its thread does not come there" $encode/formula.rs \
    'let lit = self.formula.and(lit, self.executed[event]);
                if' 'if'
mutant trace "joins: only the first of what a thread has changed is there" $encode/unroll/threads.rs \
    'memory::changed_cells(self.terms, &self.objects, &begin, &end.contents)' 'memory::changed_cells(self.terms, &self.objects, &begin, &end.contents).into_iter().take(1)'
mutant trace-waiting "idle rounds: one that stores something is left out" $encode/unroll/access.rs \
    'head.acted = either(self.terms, head.acted, acted);' 'let _ = (&head, acted);'
mutant trace-memory "ends: what a thread has for itself is there for ever" $encode/unroll/call.rs \
    'let own = std::mem::take(&mut path.thread_locals);' 'let own = Rc::<Vec<u64>>::default();'
mutant trace-memory "ends: nobody looks at what a later thread has for itself" $encode/unroll/access.rs \
    'is_some_and(|owner| *owner != work.thread)' 'is_some_and(|owner| *owner < work.thread)'

hunt=crates/explore/src/hunt
mutant hunt "h1: no thread waits for what its trace waits for" $hunt/rank.rs \
    'held: self.is_held(choice.thread),' 'held: false,'
mutant hunt "h2: every place is as near as any other" $hunt/rank.rs \
    'return Some(distance.saturating_add(penalty));' 'return Some(distance.min(0).saturating_add(penalty));'
mutant hunt "h3: a function pointer may lead anywhere" $hunt/execution.rs \
    'for value in self.leading_values() {' 'for value in self.leading_values().into_iter().take(0) {'
mutant hunt "refinement: the definitions that help least come first" $hunt/refinement.rs \
    'helpful.sort();' 'helpful.sort(); helpful.reverse();'

analysis=crates/analysis/src
harmless "an alias is dropped: a store writes to the first of its places" $analysis/reaching.rs \
    'for object in facts.points_to.objects_of(&writes.access) {' 'for object in facts.points_to.objects_of(&writes.access).take(1) {'
harmless "no thread sees what another one writes" $analysis/concurrency.rs \
    'thread.is_none() || thread != self.alone(read)' '{ let _ = thread; false }'
harmless "memory dependence: every second write is dropped" $analysis/sdg.rs \
    '.for_each_definition(node, &mut |write, other| {' '.for_each_definition(node, &mut |write, other| { if write.0 % 2 == 0 { return; }'
harmless "only the first function that a pointer may be is called" $analysis/facts.rs \
    'let callees = self.points_to.callees(node).iter().copied();' 'let callees = self.points_to.callees(node).iter().copied().take(1);'
harmless "a thread start is dropped" $analysis/callgraph.rs \
    'created.push((node, started));' 'if node.0 % 2 == 0 { created.push((node, started)); }'
harmless "a mutex is elided although it is used otherwise" $analysis/elidable.rs \
    'None => bad.insert(index),' 'None => {}'
harmless "a mutex is elided although its sections matter" $analysis/elidable.rs \
    'observable.insert(section.group);' 'if false { observable.insert(section.group); }'
harmless "what is freed is not known to be" $analysis/points_to/access.rs \
    'freed[place.object] = true;' ''
harmless "nothing is shared, so nothing ends by another thread's doing" $analysis/concurrency.rs \
    'self.threads.escapes(object)' '{ let _ = object; false }'
harmless "nothing in memory depends on inputs" $analysis/essential/inputs.rs \
    'self.changed |= !self.objects.put(object.index());' ''
harmless "every third branch is a don't-care" $analysis/slicer.rs \
    'if is_jump && !slice.contains(sdg, Vertex::Decides(node)) {' 'if is_jump && (node.0 % 3 == 0 || !slice.contains(sdg, Vertex::Decides(node))) {'
harmless "nothing lies ahead in functions that are called" $analysis/ahead.rs \
    'later |= members.contains(node) || enters;' '{ let _ = enters; later |= members.contains(node); }'
harmless "functions without a body write nothing behind pointers" $analysis/points_to/calls.rs \
    'self.touch(node, Write, pointer, bytes);' 'let _ = (pointer, bytes);'
harmless "functions without a body copy nothing" $analysis/points_to/calls.rs \
    'self.copy_memory(solver, node, to, from, bytes);' 'let _ = (solver, to, from, bytes);'
harmless "half of what is essential does not lie ahead" $analysis/slicer.rs \
    '.filter(|node| !self.is_harmless(*node))' '.filter(|node| node.0 % 2 == 0 && !self.is_harmless(*node))'
harmless "every third call is not essential" $analysis/essential.rs \
    'let mut part = Part::Nothing;' 'let mut part = Part::Nothing; if node.0 % 3 == 0 { return; }'
harmless "of places, every second set overlaps with nothing" $analysis/points_to.rs \
    'if left.is_empty() || right.is_empty() {' 'if a.locations.0 % 2 == 1 || left.is_empty() || right.is_empty() {'
harmless "a single schedule stands for all although accesses conflict" $analysis/schedule_independence.rs \
    '|| has_parallel_conflict(sdg, concurrency, threads, &slice)' ''
exit $missed
