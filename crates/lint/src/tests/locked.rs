//! What is certainly held, and what may be, in ways that were once wrong. Every program has an
//! execution in which what is looked for happens, and is found in fine and coarse states.

use super::*;

/// Threads that execute `first` and `second`, and what those need.
fn program(needs: &str, first: &str, second: &str) -> String {
    format!(
        "#include <pthread.h>
         extern \"C\" int nondet(void);
         extern \"C\" void __sleave_throw(void *);
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
         static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
         static pthread_mutex_t m;
         static int x;
         {needs}
         static void *first(void *arg) {{
         {first}
           return 0;
         }}
         static void *second(void *arg) {{
         {second}
           return 0;
         }}
         int main(void) {{
           pthread_mutexattr_t kind;
           pthread_mutexattr_init(&kind);
           pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
           pthread_mutex_init(&m, &kind);
           pthread_t t, u;
           pthread_create(&t, 0, first, 0);
           pthread_create(&u, 0, second, 0);
           pthread_join(t, 0);
           pthread_join(u, 0);
         }}"
    )
}

const ADDS_UNDER_A: &str = "
    pthread_mutex_lock(&a);
    x++; // meets
    pthread_mutex_unlock(&a);";

/// The lines marked `// meets` are those of a warning of this kind, or it is not there.
#[track_caller]
fn check(source: &str, kind: &str, is_there: bool) {
    let module = compile(source, "program.cpp");
    let marked = (1..).zip(source.lines());
    let marked = marked.filter(|(_, text)| text.contains("// meets"));
    let marked: Vec<u32> = marked.map(|(number, _)| number).collect();
    for (mode, warnings) in ["fine", "coarse"]
        .iter()
        .zip(found(&module, &[FINE, COARSE]))
    {
        let mut alike = warnings.iter().filter(|warning| warning.0 == kind);
        let found = alike.any(|(_, lines)| lines.iter().map(|line| line.1).eq(marked.clone()));
        assert_eq!(found, is_there, "{mode}: {warnings:?} in\n{source}");
    }
}

#[track_caller]
fn races(needs: &str, first: &str) {
    check(&program(needs, first, ADDS_UNDER_A), "race", true);
}

#[track_caller]
fn is_protected(needs: &str, first: &str) {
    check(&program(needs, first, ADDS_UNDER_A), "race", false);
}

#[test]
fn a_result_does_not_tell_whether_it_was_unlocked_since() {
    races(
        "",
        "int result = pthread_mutex_lock(&a), given = nondet();
         if (given) pthread_mutex_unlock(&a);
         if (result == 0) x++; // meets
         if (!given) pthread_mutex_unlock(&a);",
    );
}

#[test]
fn nor_whether_a_function_has_unlocked_it() {
    races(
        "static void give(int given) { if (given) pthread_mutex_unlock(&a); }",
        "int result = pthread_mutex_trylock(&a), given = nondet();
         if (result == 0) give(given);
         if (result == 0) x++; // meets
         if (result == 0 && !given) pthread_mutex_unlock(&a);",
    );
    races(
        "static void give(int given) { if (given) pthread_mutex_unlock(&a); }",
        "int result = pthread_mutex_lock(&a), given = nondet();
         give(given);
         if (result == 0) x++; // meets
         if (!given) pthread_mutex_unlock(&a);",
    );
}

#[test]
fn nor_whether_it_was_the_one_of_two_that_was_unlocked() {
    races(
        "",
        "int result = pthread_mutex_lock(&a), given = nondet();
         pthread_mutex_lock(&b);
         pthread_mutex_unlock(given ? &a : &b);
         if (result == 0) x++; // meets
         pthread_mutex_unlock(given ? &b : &a);",
    );
}

#[test]
fn a_result_is_asked_for_after_a_call() {
    let needs = "static void other(void) { pthread_mutex_lock(&b); pthread_mutex_unlock(&b); }";
    is_protected(
        needs,
        "int result = pthread_mutex_lock(&a);
         other();
         if (result == 0) x++; // meets
         pthread_mutex_unlock(&a);",
    );
}

#[test]
fn a_result_is_asked_for_after_two_ways_have_met() {
    is_protected(
        "static int y;",
        "int result = pthread_mutex_trylock(&a);
         if (nondet()) y = 1;
         if (result == 0) {
           x++; // meets
           pthread_mutex_unlock(&a);
         }",
    );
}

#[test]
fn what_is_locked_twice_on_one_way_is_unlocked_by_one_on_the_other() {
    let first = "
        int twice = nondet();
        if (twice) {
          pthread_mutex_lock(&m);
          pthread_mutex_lock(&m);
        } else
          pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        x++; // meets
        if (twice) pthread_mutex_unlock(&m);";
    let second = "
        pthread_mutex_lock(&m);
        x++; // meets
        pthread_mutex_unlock(&m);";
    check(&program("", first, second), "race", true);
}

#[test]
fn a_handler_does_not_hold_what_was_unlocked_before_the_throw() {
    races(
        "static void fail(void) { pthread_mutex_unlock(&a); __sleave_throw(0); }",
        "pthread_mutex_lock(&a);
         try {
           fail();
         } catch (...) {
           x++; // meets
         }",
    );
}

#[test]
fn a_handler_holds_what_was_locked_before_the_throw() {
    let needs = "
        static void fail(void) { pthread_mutex_lock(&a); __sleave_throw(0); }
        static void pass_on(void) { fail(); }";
    let first = "
        try {
          pass_on();
        } catch (...) {
          pthread_mutex_lock(&b); // meets
          pthread_mutex_unlock(&b);
          pthread_mutex_unlock(&a);
        }";
    let second = "
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a); // meets
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);";
    check(&program(needs, first, second), "lock order", true);
}

#[test]
fn a_lock_without_a_name_need_not_be_the_one_waited_for() {
    let needs = "
        static void take(int which) { pthread_mutex_lock(which ? &a : &b); }
        static void give(int which) { pthread_mutex_unlock(which ? &a : &b); }";
    let first = "
        take(x);
        pthread_mutex_lock(&a); // meets
        pthread_mutex_unlock(&a);
        give(x);";
    let second = "
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b); // meets
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);";
    check(&program(needs, first, second), "lock order", true);
}

/// What a thread is given is not what its function is given when it is called again.
#[test]
fn a_function_that_a_thread_starts_with_may_be_called() {
    for between in ["", "if (nondet()) pthread_mutex_lock(&a);"] {
        let source = format!(
            "#include <pthread.h>
             extern \"C\" int nondet(void);
             static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
             static int x[2];
             static void *start(void *arg) {{
               int *own = (int *)arg;
               *own = 1; // meets
               if (own == &x[0]) {{
                 {between}
                 start(&x[1]);
               }}
               return 0;
             }}
             int main(void) {{
               pthread_t t, u;
               pthread_create(&t, 0, start, &x[0]);
               pthread_create(&u, 0, start, &x[1]);
               pthread_join(t, 0);
               pthread_join(u, 0);
             }}"
        );
        check(&source, "race", true);
    }
}

#[test]
fn a_lock_may_be_unlocked_by_another_name() {
    races(
        "",
        "pthread_mutex_t *other = nondet() ? &a : &b;
         pthread_mutex_lock(&a);
         if (other != &a) pthread_mutex_lock(other);
         pthread_mutex_unlock(other);
         x++; // meets
         if (other != &a) pthread_mutex_unlock(&a);",
    );
}

/// More states than are told apart, in which the function is called.
const MANY_STATES: &str = "
    static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
    static pthread_mutex_t d = PTHREAD_MUTEX_INITIALIZER;
    static void with(pthread_mutex_t *other, void (*call)(void)) {
      pthread_mutex_lock(other);
      call();
      pthread_mutex_unlock(other);
    }
    static void in_many(void (*call)(void)) {
      with(&b, call);
      with(&c, call);
      with(&d, call);
      pthread_mutex_lock(&c);
      with(&b, call);
      with(&d, call);
      pthread_mutex_unlock(&c);
    }";

#[test]
fn what_is_held_in_all_of_many_states_is_certain() {
    let needs = format!(
        "{MANY_STATES}
         static void add(void) {{ x++; }} // meets"
    );
    is_protected(
        &needs,
        "pthread_mutex_lock(&a); in_many(add); pthread_mutex_unlock(&a);",
    );
    races(&needs, "in_many(add);");
}

#[test]
fn what_is_held_in_some_of_many_states_is_not() {
    let needs = format!(
        "{MANY_STATES}
         static void add(void) {{ x++; }} // meets"
    );
    races(
        &needs,
        "pthread_mutex_lock(&a); in_many(add); pthread_mutex_unlock(&a); with(&b, add);",
    );
}

#[test]
fn what_is_unlocked_in_many_states_is_not_held() {
    let needs = format!(
        "{MANY_STATES}
         static void give(void) {{ pthread_mutex_unlock(&a); }}
         static void take(void) {{ pthread_mutex_lock(&a); }}
         static void pause(void) {{
           give();
           x++; // meets
           take();
         }}"
    );
    races(
        &needs,
        "pthread_mutex_lock(&a); in_many(pause); pthread_mutex_unlock(&a);",
    );
}

#[test]
fn what_may_be_held_in_one_of_many_states_is_waited_for() {
    let needs = format!(
        "{MANY_STATES}
         static void wait(void) {{
           pthread_mutex_lock(&a); // meets
           pthread_mutex_unlock(&a);
         }}"
    );
    let second = "
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&d); // meets
        pthread_mutex_unlock(&d);
        pthread_mutex_unlock(&a);";
    let source = program(&needs, "in_many(wait);", second);
    check(&source, "lock order", true);
}
