//! Programs with few paths and many schedules, which the formula must not go through one by one.
//! What keeps it from that is seen in the number of events.

use std::sync::Arc;

use ::explore::Silent;

use super::{ALONE, Ended, Run};
use crate::engine::{Analysed, Task};
use crate::options::{EngineOptions, Options, Trace};

const HEADERS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
";

/// The engine proves the program, with at most so many events.
fn proves(source: &str, most: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEADERS}{source}")).expect("the file is written");
    let loaded = crate::load(&[file], &[]).expect("a program that compiles");
    let options = Options::with(EngineOptions::Trace(Trace::default()));
    let (never, analysed) = (Arc::default(), Analysed::new(&loaded));
    let task = Task::new(&loaded, &options, &never, &analysed);
    let trace = Trace::default();
    let mut monitor = Silent;
    let mut run = Run::new(&trace, ALONE, &task, &mut monitor);
    assert!(matches!(run.run(), Ended::Proved), "it is safe");
    assert!(run.cut_off.is_empty(), "nothing is cut off");
    let events = run.progress.outcome.trace.expect("numbers").events;
    assert!(events <= most, "{events} events, not {most}");
}

#[test]
fn inputs_are_added_up_in_another_order() {
    proves(
        "static int in[6], sum;
static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    sum += in[(intptr_t)arg];
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[6];
    unsigned all = 0;
    for (int i = 0; i < 6; i++)
        in[i] = __VERIFIER_nondet_int();
    for (int i = 5; i >= 0; i--)
        all += in[i];
    for (intptr_t i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, add, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    assert((unsigned)sum == all);
    return 0;
}
",
        33,
    );
}

#[test]
fn all_come_to_a_barrier_before_any_goes_on() {
    proves(
        "static pthread_barrier_t b;
static int part[4];
static void *work(void *arg)
{
    intptr_t id = (intptr_t)arg;
    for (int phase = 1; phase <= 3; phase++) {
        part[id] = phase;
        pthread_barrier_wait(&b);
        assert(part[0] + part[1] + part[2] + part[3] == 4 * phase);
        pthread_barrier_wait(&b);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    pthread_barrier_init(&b, NULL, 4);
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
",
        127,
    );
}

/// Behind a wait, and where a loop is left in its middle, sections meet that began elsewhere.
#[test]
fn sections_that_meet_and_signals_in_them_are_single_events() {
    proves(
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int next, done, result;
static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&m);
        if (next == 2) {
            pthread_mutex_unlock(&m);
            return arg;
        }
        int job = next++;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        result += job;
        if (++done == 2)
            pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_mutex_lock(&m);
    while (done < 2)
        pthread_cond_wait(&c, &m);
    assert(result == 1);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
",
        22,
    );
}
