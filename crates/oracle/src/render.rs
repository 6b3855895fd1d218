//! A program as C with POSIX threads and the `__VERIFIER_` functions.
//!
//! - All inputs are locals of `main`, set in order before the first thread starts: the k-th call of
//!   `__VERIFIER_nondet_int` is input k. A thread gets the ones it uses by value in its argument,
//!   so that reading an input is no access to shared memory.
//! - Arithmetic goes through `unsigned`: no program has an overflow that C leaves undefined.
//! - At its end a thread copies its locals to globals of its own (`t0_l0`), which nobody reads.
//! - When all threads have ended `main` reads some of the shared ints, [every other
//!   one](is_read_in_the_end), into `e0`, ...

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::expr::{BinaryOp, Expr};
use crate::ids::*;
use crate::program::{
    Access, Check, Index, Init, Op, Place, Program, Stmt, Thread, UpdateOp, local_copy,
};
use crate::visit::{self, Mention};

pub struct Rendered {
    pub source: String,
    /// The line of each assertion, counted from 1.
    pub assertion_lines: BTreeMap<AssertId, u32>,
    /// For each thread, the line of each of its operations in the order of the source.
    pub operation_lines: Vec<Vec<u32>>,
}

impl Rendered {
    /// The assertion on a line of the source, as an explorer reports it.
    pub fn assertion_at(&self, line: u32) -> Option<AssertId> {
        let mut lines = self.assertion_lines.iter();
        lines.find(|(_, its)| **its == line).map(|(id, _)| *id)
    }
}

/// The C text of a [valid](Program::validate) program.
pub fn render(program: &Program) -> Rendered {
    let mut c = Writer::default();
    prelude(program, &mut c);
    for (number, thread) in program.threads.iter().enumerate() {
        if !program.is_main(number) {
            render_thread(program, number, thread, &mut c);
        }
    }
    render_main(program, &mut c);
    Rendered {
        source: c.text,
        assertion_lines: c.assertion_lines,
        operation_lines: c.operation_lines,
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    depth: usize,
    line: u32,
    assertion_lines: BTreeMap<AssertId, u32>,
    operation_lines: Vec<Vec<u32>>,
}

impl Writer {
    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.line += 1;
        writeln!(self.text, "{:1$}{text}", "", 4 * self.depth).expect("a string takes all text");
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }
}

fn prelude(program: &Program, c: &mut Writer) {
    for header in ["assert", "pthread", "semaphore"] {
        c.line(format!("#include <{header}.h>"));
    }
    c.line("");
    c.line("extern int __VERIFIER_nondet_int(void);");
    c.line("extern void __VERIFIER_assume(int);");
    c.line("extern void __VERIFIER_atomic_begin(void);");
    c.line("extern void __VERIFIER_atomic_end(void);");
    for (check, declaration) in [
        (Check::Verifier, "void __VERIFIER_assert(int)"),
        (Check::ReachError, "void reach_error(void)"),
    ] {
        if checks_by(program, check) {
            c.line(format!("extern {declaration};"));
        }
    }
    c.line("");
    for (number, init) in program.shared.iter().enumerate() {
        let name = SharedId(number);
        match init {
            Init::Const(value) => c.line(format!("int {name} = {};", constant(*value))),
            Init::Input(_) => c.line(format!("int {name};")),
        }
    }
    for number in 0..program.shared.len() {
        if is_read_in_the_end(SharedId(number)) {
            c.line(format!("int e{number};"));
        }
    }
    for (number, target) in program.pointers.iter().enumerate() {
        c.line(format!("int *{} = &{target};", PointerId(number)));
    }
    for (number, array) in program.arrays.iter().enumerate() {
        let values: Vec<_> = array.iter().copied().map(constant).collect();
        c.line(format!(
            "int {}[{}] = {{{}}};",
            ArrayId(number),
            array.len(),
            values.join(", ")
        ));
    }
    for number in 0..program.mutexes {
        let name = MutexId(number);
        c.line(format!(
            "pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;"
        ));
    }
    for number in 0..program.conditions {
        let name = ConditionId(number);
        c.line(format!("pthread_cond_t {name} = PTHREAD_COND_INITIALIZER;"));
    }
    for number in 0..program.semaphores.len() {
        c.line(format!("sem_t {};", SemaphoreId(number)));
    }
    for (number, thread) in program.threads.iter().enumerate() {
        for local in 0..thread.locals {
            c.line(format!("int {};", local_copy(number, LocalId(local))));
        }
    }
    for thread in (0..program.threads.len()).map(ThreadId) {
        if let Some(starter) = program.starter(thread)
            && !program.is_main(starter)
        {
            c.line(format!("void *{thread}(void *argument);"));
        }
    }
}

fn checks_by(program: &Program, wanted: Check) -> bool {
    let mut found = false;
    for thread in &program.threads {
        visit::for_each_op(&mut thread.body.clone(), &mut |op| {
            found |= matches!(op, Op::Assert(check, ..) if *check == wanted);
        });
    }
    found
}

/// Whether `main` reads a shared int when all threads have ended.
pub fn is_read_in_the_end(shared: SharedId) -> bool {
    shared.0.is_multiple_of(2)
}

fn render_thread(program: &Program, number: usize, thread: &Thread, c: &mut Writer) {
    c.line("");
    c.open(format!("void *thread{number}(void *argument) {{"));
    let inputs = inputs_of(program, number);
    match inputs[..] {
        [] => {}
        [input] => c.line(format!("int {input} = (int)(long)argument;")),
        _ => {
            for (byte, input) in inputs.iter().enumerate() {
                let shift = 8 * byte;
                c.line(format!(
                    "int {input} = (signed char)((long)argument >> {shift});"
                ));
            }
        }
    }
    let started = program.started_by(number);
    for child in &started {
        c.line(format!("pthread_t {};", handle(program, *child)));
    }
    render_body(program, number, thread, c);
    for child in started {
        join_unless_joined(program, child, c);
    }
    c.line("return 0;");
    c.close("}");
}

/// From the locals on to their copies.
fn render_body(program: &Program, number: usize, thread: &Thread, c: &mut Writer) {
    for local in 0..thread.locals {
        c.line(format!("int {} = 0;", LocalId(local)));
    }
    for (number, target) in thread.pointers.iter().enumerate() {
        c.line(format!("int *{} = &{target};", LocalPointerId(number)));
    }
    c.operation_lines.push(vec![]);
    render_block(program, &thread.body, 0, c);
    for local in (0..thread.locals).map(LocalId) {
        c.line(format!("{} = {local};", local_copy(number, local)));
    }
}

/// What the creator of a thread calls it: a local variable.
fn handle(program: &Program, thread: ThreadId) -> String {
    match program.starter(thread) {
        Some(starter) if !program.is_main(starter) => format!("h{}", thread.0),
        _ => format!("threads[{}]", thread.0),
    }
}

fn join_unless_joined(program: &Program, thread: ThreadId, c: &mut Writer) {
    let joins = |stmt: &Stmt| *stmt == Stmt::Do(Op::Join(thread));
    if !program.threads.iter().any(|t| t.body.iter().any(joins)) {
        c.line(format!("pthread_join({}, 0);", handle(program, thread)));
    }
}

/// The inputs a thread mentions, and those that it passes on to threads it starts, in order.
fn inputs_of(program: &Program, thread: usize) -> Vec<InputId> {
    let mut used = BTreeSet::new();
    let mut body = program.threads[thread].body.clone();
    visit::block_mentions(&mut body, &mut |mention| {
        if let Mention::Input(input) = mention {
            used.insert(*input);
        }
    });
    for child in program.started_by(thread) {
        used.extend(inputs_of(program, child.0));
    }
    used.into_iter().collect()
}

fn create(program: &Program, thread: ThreadId) -> String {
    let (handle, argument) = (handle(program, thread), argument(program, thread.0));
    format!("pthread_create(&{handle}, 0, {thread}, {argument})")
}

fn argument(program: &Program, thread: usize) -> String {
    match inputs_of(program, thread)[..] {
        [] => "0".to_owned(),
        [input] => format!("(void *)(long){input}"),
        ref inputs => {
            let bytes = inputs.iter().enumerate();
            let bytes =
                bytes.map(|(byte, input)| format!("(unsigned)({input} & 255) << {}", 8 * byte));
            let bytes: Vec<_> = bytes.collect();
            format!("(void *)(long)({})", bytes.join(" | "))
        }
    }
}

fn render_main(program: &Program, c: &mut Writer) {
    c.line("");
    c.open("int main(void) {");
    for (number, input) in program.inputs.iter().enumerate() {
        let name = InputId(number);
        c.line(format!("int {name} = __VERIFIER_nondet_int();"));
        c.line(format!(
            "__VERIFIER_assume({name} >= {} && {name} <= {});",
            constant(input.low),
            constant(input.high)
        ));
    }
    for (number, init) in program.shared.iter().enumerate() {
        if let Init::Input(input) = init {
            c.line(format!("{} = {input};", SharedId(number)));
        }
    }
    for (number, value) in program.semaphores.iter().enumerate() {
        c.line(format!("sem_init(&{}, 0, {value});", SemaphoreId(number)));
    }
    let threads = program.threads.len();
    let functions = threads - usize::from(program.has_main);
    if functions > 0 {
        c.line(format!("pthread_t threads[{functions}];"));
    }
    for thread in (0..functions).map(ThreadId) {
        if program.starter(thread).is_none() {
            c.line(create(program, thread) + ";");
        }
    }
    if program.has_main {
        render_body(program, threads - 1, &program.threads[threads - 1], c);
    }
    for thread in (0..functions).map(ThreadId) {
        let starter = program.starter(thread);
        if starter.is_none_or(|starter| program.is_main(starter)) {
            join_unless_joined(program, thread, c);
        }
    }
    for shared in (0..program.shared.len()).map(SharedId) {
        if is_read_in_the_end(shared) {
            c.line(format!("e{} = {shared};", shared.0));
        }
    }
    c.line("return 0;");
    c.close("}");
}

fn render_block(program: &Program, block: &[Stmt], loops: usize, c: &mut Writer) {
    for stmt in block {
        match stmt {
            Stmt::Do(op) => {
                let text = operation(program, op);
                c.line(text + ";");
                let lines = c.operation_lines.last_mut().expect("of this thread");
                lines.push(c.line);
                if let Op::Assert(_, id, _) = op {
                    c.assertion_lines.insert(*id, c.line);
                }
            }
            Stmt::If {
                condition,
                then,
                otherwise,
            } => {
                c.open(format!("if ({}) {{", bare(condition)));
                render_block(program, then, loops, c);
                if !otherwise.is_empty() {
                    c.close("} else {");
                    c.depth += 1;
                    render_block(program, otherwise, loops, c);
                }
                c.close("}");
            }
            Stmt::Repeat { times, body } => {
                c.open(format!(
                    "for (int i{loops} = 0; i{loops} < {times}; i{loops}++) {{"
                ));
                render_block(program, body, loops + 1, c);
                c.close("}");
            }
            Stmt::BreakIf(condition) => c.line(format!("if ({}) break;", bare(condition))),
            Stmt::Atomic(body) => {
                c.line("__VERIFIER_atomic_begin();");
                render_block(program, body, loops, c);
                c.line("__VERIFIER_atomic_end();");
            }
        }
    }
}

fn operation(program: &Program, op: &Op) -> String {
    let place = |place: &Place| match place {
        Place::Scalar(shared) => shared.to_string(),
        Place::Through(pointer) => format!("*{pointer}"),
        Place::Element(array, Index::Raw(index)) => format!("{array}[{}]", bare(index)),
        Place::Element(array, Index::Wrapped(index)) => {
            let (size, index) = (program.arrays[array.0].len(), expression(index));
            if size.is_power_of_two() {
                format!("{array}[{index} & {}]", size - 1)
            } else {
                format!("{array}[(unsigned){index} % {size}]")
            }
        }
    };
    const ORDER: &str = "__ATOMIC_SEQ_CST";
    const RELAXED: &str = "__ATOMIC_RELAXED";
    match op {
        Op::Assign(local, value) => format!("{local} = {}", bare(value)),
        Op::Point(pointer, Place::Through(other)) => format!("{pointer} = {other}"),
        Op::Point(pointer, to) => format!("{pointer} = &{}", place(to)),
        Op::LoadPointer(pointer, from) => format!("{pointer} = {from}"),
        Op::StorePointer(to, pointer) => format!("{to} = {pointer}"),
        Op::Read(Access::Plain, local, from) => format!("{local} = {}", place(from)),
        Op::Read(access, local, from) => {
            let order = match access {
                Access::Plain | Access::Atomic => ORDER,
                Access::Paired => "__ATOMIC_ACQUIRE",
                Access::Relaxed => RELAXED,
            };
            format!("{local} = __atomic_load_n(&{}, {order})", place(from))
        }
        Op::Write(Access::Plain, to, value) => format!("{} = {}", place(to), bare(value)),
        Op::Write(access, to, value) => {
            let order = match access {
                Access::Plain | Access::Atomic => ORDER,
                Access::Paired => "__ATOMIC_RELEASE",
                Access::Relaxed => RELAXED,
            };
            let (to, value) = (place(to), expression(value));
            format!("__atomic_store_n(&{to}, {value}, {order})")
        }
        Op::Add(to, value) => {
            let to = place(to);
            format!(
                "{to} = (int)((unsigned){to} + (unsigned){})",
                expression(value)
            )
        }
        Op::FetchAdd(local, to, value) => format!(
            "{local} = __atomic_fetch_add(&{}, {}, {ORDER})",
            place(to),
            expression(value)
        ),
        Op::Update(op, to, value) => {
            let op = match op {
                UpdateOp::Add => "add",
                UpdateOp::Sub => "sub",
                UpdateOp::And => "and",
                UpdateOp::Or => "or",
                UpdateOp::Xor => "xor",
            };
            let (to, value) = (place(to), expression(value));
            format!("__atomic_fetch_{op}(&{to}, {value}, {ORDER})")
        }
        Op::FetchAddRelaxed(local, to, value) => format!(
            "{local} = __atomic_fetch_add(&{}, {}, {RELAXED})",
            place(to),
            expression(value)
        ),
        Op::Exchange(local, to, value) => format!(
            "{local} = __atomic_exchange_n(&{}, {}, {ORDER})",
            place(to),
            expression(value)
        ),
        Op::CompareExchange {
            success,
            place: to,
            expected,
            desired,
        } => format!(
            "{success} = __atomic_compare_exchange_n(&{}, &{expected}, {}, 0, {ORDER}, {ORDER})",
            place(to),
            expression(desired)
        ),
        Op::Lock(mutex) => format!("pthread_mutex_lock(&{mutex})"),
        Op::Unlock(mutex) => format!("pthread_mutex_unlock(&{mutex})"),
        Op::TryLock(local, mutex) => format!("{local} = pthread_mutex_trylock(&{mutex}) == 0"),
        Op::SemWait(semaphore) => format!("sem_wait(&{semaphore})"),
        Op::SemPost(semaphore) => format!("sem_post(&{semaphore})"),
        Op::SemTryWait(local, semaphore) => format!("{local} = sem_trywait(&{semaphore}) == 0"),
        Op::Wait(condition, mutex) => format!("pthread_cond_wait(&{condition}, &{mutex})"),
        Op::Signal(condition) => format!("pthread_cond_signal(&{condition})"),
        Op::Broadcast(condition) => format!("pthread_cond_broadcast(&{condition})"),
        Op::Start(thread) => create(program, *thread),
        Op::Join(thread) => format!("pthread_join({}, 0)", handle(program, *thread)),
        Op::Assert(Check::Assert, _, condition) => format!("assert({})", bare(condition)),
        Op::Assert(Check::Verifier, _, condition) => {
            format!("__VERIFIER_assert({})", bare(condition))
        }
        Op::Assert(Check::ReachError, _, condition) => {
            format!("if (!{}) reach_error()", expression(condition))
        }
        Op::Assume(condition) => format!("__VERIFIER_assume({})", bare(condition)),
    }
}

/// The expression in a form that any operator may be put in front of or behind.
fn expression(expr: &Expr) -> String {
    match expr {
        Expr::Const(value) => constant(*value),
        Expr::Local(local) => local.to_string(),
        Expr::Input(input) => input.to_string(),
        Expr::Binary(op, left, right) => binary(*op, expression(left), expression(right)),
    }
}

/// The expression without the parentheses around it, where nothing stands beside it.
fn bare(expr: &Expr) -> String {
    let text = expression(expr);
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    match (expr, inner) {
        // A cast begins and ends with parentheses that do not belong together.
        (Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..), _) | (_, None) => text,
        (_, Some(inner)) => inner.to_owned(),
    }
}

fn binary(op: BinaryOp, left: String, right: String) -> String {
    let wrapping = |op: &str| format!("(int)((unsigned){left} {op} (unsigned){right})");
    let plain = |op: &str| format!("({left} {op} {right})");
    match op {
        BinaryOp::Add => wrapping("+"),
        BinaryOp::Sub => wrapping("-"),
        BinaryOp::Mul => wrapping("*"),
        BinaryOp::And => plain("&"),
        BinaryOp::Or => plain("|"),
        BinaryOp::Xor => plain("^"),
        BinaryOp::Eq => plain("=="),
        BinaryOp::Ne => plain("!="),
        BinaryOp::Lt => plain("<"),
        BinaryOp::Le => plain("<="),
    }
}

fn constant(value: i32) -> String {
    if value == i32::MIN {
        // C has no negative literals, and 2147483648 is not an int.
        "(-2147483647 - 1)".to_owned()
    } else if value < 0 {
        format!("({value})")
    } else {
        value.to_string()
    }
}
