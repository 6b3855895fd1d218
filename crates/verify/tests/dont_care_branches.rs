//! Jumps on inputs on which nothing depends go one way, and executions end where nothing that
//! matters lies ahead (P1, section 6.1): how many runs are left, and what must not be left out.

use verify::{
    Besides, Checked, Explore, Loaded, Options, Properties, Property, Quiet, Search, Summarise,
    Verdict,
};

const HEADER: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
    extern int __VERIFIER_nondet_int(void);\n";

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEADER}{source}")).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

/// By every search, with and without summaries.
fn check(source: &str, properties: &Properties) -> Vec<Checked> {
    let loaded = load(source);
    let searches = [
        Search::naive(),
        Search::dpor(),
        Search::source(),
        Search::optimal(),
        Search::Source {
            commute: false,
            peek: false,
            besides: Besides::Summaries(Summarise::default()),
        },
    ];
    let check = |search| {
        let options = Options {
            properties: properties.clone(),
            all: true,
            ..Options::with(Explore::predicate(search))
        };
        verify::check(&loaded, &options, &mut Quiet).expect("no fault of Sleave")
    };
    searches.into_iter().map(check).collect()
}

fn is_safe(checked: &Checked) -> bool {
    matches!(checked.verdict, Verdict::Safe)
}

fn fails(checked: &Checked) -> bool {
    matches!(&checked.verdict, Verdict::Bug(bugs) if bugs[0].property == Property::Assertion)
}

fn assertions() -> Properties {
    Properties([Property::Assertion].into())
}

/// P1, Figure 5: the slice is lines 3 to 5, so there are the two ways of the second branch and no
/// others.
#[test]
fn the_branch_outside_the_slice_of_figure_5_goes_one_way() {
    let source = "int x = 1, y;
        void *run(void *arg) {
            int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
            int v = __VERIFIER_nondet_int(), w = 7, z;
            if (p)
                y = v;
            z = w * 5;
            if (q)
                x = z * 2;
            assert(x);
            return arg;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, run, 0);
            y = 2;
            pthread_join(t, 0);
        }";
    for checked in check(source, &Properties::all()) {
        assert!(is_safe(&checked));
        let runs = checked.counts.runs;
        assert!(runs.complete <= 2, "{runs:?}");
        let slice = checked.slice.expect("there is a slice");
        assert_eq!((slice.branches, slice.dont_care_branches), (2, 1));
    }
}

/// Inputs are named by how many there were before: a branch that asks for one matters.
#[test]
fn a_branch_that_asks_for_an_input_is_taken_both_ways() {
    let source = "int y;
        int main(void) {
            int p = __VERIFIER_nondet_int();
            if (p)
                y = __VERIFIER_nondet_int();
            int r = __VERIFIER_nondet_int();
            assert(p == 0 || r != 5);
        }";
    assert!(check(source, &Properties::all()).iter().all(fails));
}

/// A branch that decides how often a loop goes round matters, though nothing depends on what is
/// done in it.
#[test]
fn a_branch_that_could_go_round_for_ever_is_taken_both_ways() {
    let source = "int y;
        int main(void) {
            int p = __VERIFIER_nondet_int(), done = 0;
            for (;;) {
                done++;
                if (p == 0 && done < 3)
                    continue;
                y++;
                if (done >= 2)
                    break;
            }
            assert(p != 7);
        }";
    assert!(check(source, &assertions()).iter().all(fails));
}

/// The path condition excludes the way that is taken, and nobody asked for what goes wrong there:
/// it is searched again.
#[test]
fn what_only_goes_wrong_where_no_input_leads_is_no_reason_to_give_up() {
    let source = "int x, y, *nowhere;
        int main(void) {
            int p = __VERIFIER_nondet_int();
            if (p > 0)
                x = 1;
            else
                exit(0);
            if (p > 0)
                y = 1;
            else
                y = *nowhere;
            assert(x == 1);
        }";
    assert!(check(source, &assertions()).iter().all(is_safe));
}

/// A failure after a jump that went one way is followed with inputs that go the other.
#[test]
fn a_failure_after_a_jump_that_went_one_way_is_replayed() {
    let source = "int x, y, z;
        void *run(void *arg) {
            int p = __VERIFIER_nondet_int();
            if (p > 3) {
                y = 1;
                z = y;
            } else
                y = z + 1;
            x = p;
            return arg;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, run, 0);
            y = 2;
            z = 3;
            assert(x != 9);
            pthread_join(t, 0);
        }";
    for properties in [Properties::all(), assertions()] {
        assert!(check(source, &properties).iter().all(fails));
    }
}

/// Nothing that matters comes after the assertion: it ends there, however long it could go on.
#[test]
fn a_search_ends_where_nothing_lies_ahead() {
    let source = "unsigned y;
        int main(void) {
            unsigned n = __VERIFIER_nondet_int();
            assert(n + 1 != n);
            for (unsigned i = 0; i < n; i++)
                y += i;
        }";
    for checked in check(source, &Properties::all()) {
        assert!(is_safe(&checked));
        assert_eq!(checked.counts.runs.complete, 1);
    }
}

/// The assertion lies behind one thread when the other has not yet written what it read: that must
/// be seen all the same.
#[test]
fn a_write_that_comes_after_the_last_assertion_may_come_before_it() {
    let source = "int x;
        void *look(void *arg) {
            assert(x == 0);
            return arg;
        }
        void *write(void *arg) {
            int p = __VERIFIER_nondet_int();
            if (p)
                x = 1;
            return arg;
        }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, look, 0);
            pthread_create(&b, 0, write, 0);
        }";
    for properties in [Properties::all(), assertions()] {
        assert!(check(source, &properties).iter().all(fails));
    }
}

/// What is done at the end of the process lies ahead of everything.
#[test]
fn an_exit_handler_lies_ahead() {
    let source = "unsigned y;
        void last(void) { assert(y != 3); }
        int main(void) {
            atexit(last);
            unsigned n = __VERIFIER_nondet_int();
            if (n < 2)
                for (unsigned i = 0; i <= n; i++)
                    y += i + 1;
        }";
    assert!(check(source, &assertions()).iter().all(fails));
}
