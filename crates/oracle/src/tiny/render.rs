//! A program as C. Every global name begins with a prefix, so that several programs fit in one
//! file.

use std::fmt::Write;

use crate::ids::{InputId, ThreadId};

use super::syntax::*;

/// What must stand once at the head of a file, before all programs.
pub const HEADER: &str = "\
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

struct node { int v, w; struct node *next; };
struct pair { long a, b; };
union word {
    unsigned whole;
    unsigned short half[2];
    unsigned char byte[4];
    struct { unsigned short low : 3, middle : 5, high : 8; } bits;
};
struct account { pthread_mutex_t m; int v; };
static struct timespec soon;
static long value_of(sem_t *semaphore) { int value; sem_getvalue(semaphore, &value); return value; }
static long joined(pthread_t thread) { void *result; pthread_join(thread, &result); return (long)result; }
";

/// The C text, without the header.
pub fn render(program: &Program, prefix: &str) -> String {
    let mut writer = Writer {
        program,
        prefix,
        variables: &[],
        text: String::new(),
        depth: 0,
        loops: 0,
    };
    writer.globals();
    for number in 1..program.threads.len() {
        writer.line(&format!(
            "static void *{};",
            writer.thread(ThreadId(number))
        ));
    }
    for (number, function) in program.functions.iter().enumerate() {
        writer.function(number, function);
    }
    for number in 1..program.threads.len() {
        let head = format!("static void *{}", writer.thread(ThreadId(number)));
        writer.thread_body(number, &head, "return (void *)v0;");
    }
    let head = format!("int {prefix}main(void)");
    writer.thread_body(0, &head, "return 0;");
    writer.text
}

struct Writer<'a> {
    program: &'a Program,
    prefix: &'a str,
    /// Of the function at hand.
    variables: &'a [Kind],
    text: String,
    depth: usize,
    /// So many `for` loops stand around the statement at hand.
    loops: usize,
}

impl<'a> Writer<'a> {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 4 * self.depth).expect("a string takes all text");
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    fn name(&self, global: GlobalId) -> String {
        format!("{}g{}", self.prefix, global.0)
    }

    /// The variable, or what it points to if it lies on the heap.
    fn global(&self, global: GlobalId) -> String {
        let name = self.name(global);
        let is_array = matches!(self.program.globals[global.0], Shape::Buffer(_));
        match self.program.heap.contains(&global) && !is_array {
            true => format!("(*{name})"),
            false => name,
        }
    }

    fn input(&self, input: InputId) -> String {
        format!("{}i{}", self.prefix, input.0)
    }

    fn thread(&self, thread: ThreadId) -> String {
        format!("{}thread{}(void *unused)", self.prefix, thread.0)
    }

    fn globals(&mut self) {
        for (number, shape) in self.program.globals.iter().enumerate() {
            if self.program.heap.contains(&GlobalId(number)) {
                let name = self.name(GlobalId(number));
                let ty = object_text(shape);
                self.line(&format!("static {ty} *{name};"));
                continue;
            }
            let name = self.global(GlobalId(number));
            let line = match shape {
                Shape::Scalar(ty, init) => format!("{} {name} = {init};", ty_text(*ty)),
                Shape::FromInput(_) => format!("int {name};"),
                Shape::PointerTo(None) => format!("int *{name};"),
                Shape::PointerTo(Some(to)) => format!("int *{name} = &{};", self.global(*to)),
                Shape::ToNode => format!("struct node *{name};"),
                Shape::Array(values) => {
                    let values: Vec<_> = values.iter().map(i64::to_string).collect();
                    format!("int {name}[{}] = {{{}}};", values.len(), values.join(", "))
                }
                Shape::Buffer(size) => format!("_Alignas(8) unsigned char {name}[{size}];"),
                Shape::ThreadLocal => format!("__thread int {name};"),
                Shape::Pair(a, b) => format!("struct pair {name} = {{{a}, {b}}};"),
                Shape::Word(whole) => format!("union word {name} = {{{whole}}};"),
                Shape::Account => format!("struct account {name};"),
                Shape::Mutex(Mutex::Normal) => {
                    format!("pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;")
                }
                Shape::Mutex(_) => format!("pthread_mutex_t {name};"),
                Shape::RwLock => format!("pthread_rwlock_t {name} = PTHREAD_RWLOCK_INITIALIZER;"),
                Shape::Semaphore(_) => format!("sem_t {name};"),
                Shape::Barrier(_) => format!("pthread_barrier_t {name};"),
                Shape::Condition => format!("pthread_cond_t {name} = PTHREAD_COND_INITIALIZER;"),
            };
            self.line(&format!("static {line}"));
        }
        for number in 0..self.program.inputs.len() {
            let input = self.input(InputId(number));
            self.line(&format!("static long {input};"));
        }
    }

    /// What `main` does before all else.
    fn initialise(&mut self) {
        for (number, most) in self.program.inputs.iter().enumerate() {
            let input = self.input(InputId(number));
            self.line(&format!("{input} = __VERIFIER_nondet_int();"));
            self.line(&format!(
                "__VERIFIER_assume({input} >= 0 && {input} <= {most});"
            ));
        }
        for (number, shape) in self.program.globals.iter().enumerate() {
            let name = self.global(GlobalId(number));
            let on_heap = self.program.heap.contains(&GlobalId(number));
            if on_heap {
                let pointer = self.name(GlobalId(number));
                let size = shape.size();
                self.line(&format!("{pointer} = calloc(1, {size});"));
            }
            match shape {
                Shape::Scalar(_, value) if on_heap && *value != 0 => {
                    self.line(&format!("{name} = {value};"));
                }
                Shape::Mutex(Mutex::Normal) if on_heap => {
                    self.line(&format!("pthread_mutex_init(&{name}, 0);"));
                }
                Shape::RwLock if on_heap => {
                    self.line(&format!("pthread_rwlock_init(&{name}, 0);"));
                }
                Shape::Condition if on_heap => {
                    self.line(&format!("pthread_cond_init(&{name}, 0);"));
                }
                Shape::FromInput(input) => {
                    let input = self.input(*input);
                    self.line(&format!("{name} = {input};"));
                }
                Shape::Account => self.line(&format!("pthread_mutex_init(&{name}.m, 0);")),
                Shape::Mutex(kind @ (Mutex::Recursive | Mutex::ErrorChecking)) => {
                    let kind = match kind {
                        Mutex::Recursive => "RECURSIVE",
                        _ => "ERRORCHECK",
                    };
                    let attributes = format!("kind{number}");
                    self.line(&format!("pthread_mutexattr_t {attributes};"));
                    self.line(&format!("pthread_mutexattr_init(&{attributes});"));
                    self.line(&format!(
                        "pthread_mutexattr_settype(&{attributes}, PTHREAD_MUTEX_{kind});"
                    ));
                    self.line(&format!("pthread_mutex_init(&{name}, &{attributes});"));
                }
                Shape::Semaphore(value) => self.line(&format!("sem_init(&{name}, 0, {value});")),
                Shape::Barrier(count) => {
                    self.line(&format!("pthread_barrier_init(&{name}, 0, {count});"));
                }
                _ => {}
            }
        }
    }

    fn function(&mut self, number: usize, function: &'a Function) {
        let parameters: Vec<String> = (0..function.parameters)
            .map(|i| declaration(function.variables[i], i))
            .collect();
        let parameters = match parameters.is_empty() {
            true => "void".to_string(),
            false => parameters.join(", "),
        };
        let head = format!("static long {}f{number}({parameters})", self.prefix);
        self.open(&format!("{head} {{"));
        self.declare_variables(function);
        self.block(&function.body);
        self.line("return 0;");
        self.close("}");
    }

    fn thread_body(&mut self, number: usize, head: &str, end: &str) {
        let function = &self.program.threads[number];
        self.open(&format!("{head} {{"));
        self.declare_variables(function);
        for child in created_in(&function.body) {
            self.line(&format!("pthread_t h{};", child.0));
        }
        if number == 0 {
            self.initialise();
        }
        self.block(&function.body);
        self.line(end);
        self.close("}");
    }

    fn declare_variables(&mut self, function: &'a Function) {
        self.variables = &function.variables;
        for (index, kind) in function.variables.iter().enumerate() {
            if index >= function.parameters {
                let declaration = declaration(*kind, index);
                self.line(&format!("{declaration} = 0;"));
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Do(expr) => {
                let text = self.expr(expr);
                self.line(&format!("{text};"));
            }
            Stmt::Set(variable, value) => {
                let value = self.converted(value, self.variables[variable.0]);
                self.line(&format!("v{} = {value};", variable.0));
            }
            Stmt::Store(Access::Plain, place, value) => {
                let line = format!("{} = {};", self.place(place), self.stored(place, value));
                self.line(&line);
            }
            Stmt::Store(access, place, value) => {
                let (to, value) = (self.place(place), self.stored(place, value));
                let order = order(*access);
                self.line(&format!("__atomic_store_n(&{to}, {value}, {order});"));
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                if let ([Stmt::Break], []) = (&then[..], &otherwise[..]) {
                    self.line(&format!("if ({condition}) break;"));
                    return;
                }
                self.open(&format!("if ({condition}) {{"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.close("} else {");
                    self.depth += 1;
                    self.block(otherwise);
                }
                self.close("}");
            }
            Stmt::While(condition, body) => {
                let condition = match condition {
                    Expr::Const(1) => "for (;;)".to_string(),
                    condition => format!("while ({})", self.expr(condition)),
                };
                if body.is_empty() {
                    self.line(&format!("{condition} {{}}"));
                    return;
                }
                self.open(&format!("{condition} {{"));
                self.block(body);
                self.close("}");
            }
            Stmt::DoWhile(body, condition) => {
                self.open("do {");
                self.block(body);
                let condition = self.expr(condition);
                self.close(&format!("}} while ({condition});"));
            }
            Stmt::Repeat(times, body) => {
                let k = format!("k{}", self.loops);
                self.open(&format!("for (int {k} = 0; {k} < {times}; {k}++) {{"));
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.close("}");
            }
            Stmt::Switch(value, cases) => {
                let value = self.expr(value);
                self.open(&format!("switch ({value}) {{"));
                for (case, body) in cases {
                    self.open(&format!("case {case}:"));
                    self.block(body);
                    self.line("break;");
                    self.depth -= 1;
                }
                self.close("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Copy(by, to, from) => {
                let (to, from) = (self.global(*to), self.global(*from));
                match by {
                    CopyBy::Assignment => self.line(&format!("{to} = {from};")),
                    CopyBy::Memcpy => self.line(&format!("memcpy(&{to}, &{from}, sizeof {to});")),
                }
            }
            Stmt::CopyNode(to, from) => {
                let (to, from) = (
                    self.converted(to, Kind::ToNode),
                    self.converted(from, Kind::ToNode),
                );
                self.line(&format!("memcpy({to}, {from}, sizeof(struct node));"));
            }
            Stmt::Fill(to, byte, count) => {
                let [to, byte, count] = [to, byte, count].map(|operand| self.expr(operand));
                self.line(&format!("memset({to}, {byte}, {count});"));
            }
            Stmt::Move(to, from, count) => {
                let [to, from, count] = [to, from, count].map(|operand| self.expr(operand));
                self.line(&format!("memmove({to}, {from}, {count});"));
            }
            Stmt::Atomic(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.block(body);
                self.line("__VERIFIER_atomic_end();");
            }
            Stmt::Assert(condition) => {
                let condition = self.expr(condition);
                self.line(&format!("assert({condition});"));
            }
            Stmt::Assume(condition) => {
                let condition = self.expr(condition);
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            Stmt::Return(value) => {
                let value = self.converted(value, Kind::Number);
                self.line(&format!("return {value};"));
            }
        }
    }

    /// A value on its way to memory.
    fn stored(&self, place: &Place, value: &Expr) -> String {
        match self.program.ty(place) {
            Type::Pointer(kind) => self.converted(value, kind),
            _ => self.converted(value, Kind::Number),
        }
    }

    /// The expression as one of that kind.
    fn converted(&self, expr: &Expr, kind: Kind) -> String {
        let text = self.expr(expr);
        match self.program.kind(self.variables, expr) == kind {
            true => text,
            false => format!("({}){text}", kind_text(kind)),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Global(global) => self.global(*global),
            Place::Element(array, index) | Place::FarElement(array, index) => {
                let Shape::Array(values) = &self.program.globals[array.0] else {
                    unreachable!("an array");
                };
                let index = self.expr(index);
                let index = format!("{index} & {}", values.len() - 1);
                let array = self.global(*array);
                match place {
                    Place::FarElement(..) => format!("{array}[({index}) * {FAR}]"),
                    _ => format!("{array}[{index}]"),
                }
            }
            Place::Member(global, member) => {
                format!("{}.{}", self.global(*global), member_text(*member))
            }
            Place::Arrow(node, member) => {
                let node = self.converted(node, Kind::ToNode);
                format!("({node})->{}", member_text(*member))
            }
            Place::Part(part) => {
                let Part {
                    first, count, step, ..
                } = **part;
                let buffer = self.global(part.buffer);
                let index = match count {
                    1 => String::new(),
                    _ => format!(" + ({} & {}) * {step}", self.expr(&part.index), count - 1),
                };
                format!("*({} *)({buffer} + {first}{index})", ty_text(part.ty))
            }
            Place::MutexWord(mutex) => format!("*(volatile int *){}", self.address(mutex)),
            Place::Either(condition, first, second) => {
                let condition = self.expr(condition);
                let (first, second) = (self.address(first), self.address(second));
                format!("*({condition} ? {first} : {second})")
            }
            Place::Deref(pointer) => format!("*({})", self.converted(pointer, Kind::ToInt)),
        }
    }

    fn address(&self, place: &Place) -> String {
        format!("&{}", self.place(place))
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) if *value < 0 => format!("({value})"),
            Expr::Const(value) => value.to_string(),
            Expr::Variable(variable) => format!("v{}", variable.0),
            Expr::Input(input) => self.input(*input),
            Expr::Null(kind) => format!("(({})0)", kind_text(*kind)),
            Expr::Load(Access::Plain, place) => self.place(place),
            Expr::Load(access, place) => {
                let (place, order) = (self.place(place), order(*access));
                format!("__atomic_load_n(&{place}, {order})")
            }
            Expr::AddressOf(place) => format!("(&{})", self.place(place)),
            Expr::Not(of) => format!("!{}", self.bracketed(of)),
            Expr::And(left, right) => format!("({} && {})", self.expr(left), self.expr(right)),
            Expr::Or(left, right) => format!("({} || {})", self.expr(left), self.expr(right)),
            Expr::Binary(op, left, right) => {
                let (l, r) = (self.kind(left), self.kind(right));
                let compares = matches!(op, Operator::Eq | Operator::Ne);
                let (left, right) = match compares && l == r {
                    true => (self.expr(left), self.expr(right)),
                    false => (
                        self.converted(left, Kind::Number),
                        self.converted(right, Kind::Number),
                    ),
                };
                format!("({left} {} {right})", operator_text(*op))
            }
            Expr::Cast(kind, of) => format!("(({}){})", kind_text(*kind), self.bracketed(of)),
            Expr::Update(op, place, value) => {
                let name = match op {
                    Update::Exchange => "exchange_n",
                    Update::Add => "fetch_add",
                    Update::Sub => "fetch_sub",
                    Update::Or => "fetch_or",
                    Update::Xor => "fetch_xor",
                };
                let (place, value) = (self.place(place), self.expr(value));
                format!("__atomic_{name}(&{place}, {value}, __ATOMIC_SEQ_CST)")
            }
            Expr::Swap(place, from, to) => {
                let (from, to) = (self.expr(from), self.expr(to));
                format!(
                    "__sync_bool_compare_and_swap(&{}, {from}, {to})",
                    self.place(place)
                )
            }
            Expr::Call(call) => self.call(call),
            Expr::Apply(function, arguments) => {
                let kinds = &self.program.functions[function.0].variables;
                let arguments = arguments.iter().zip(kinds);
                let arguments = arguments.map(|(argument, kind)| self.converted(argument, *kind));
                let arguments: Vec<String> = arguments.collect();
                format!("{}f{}({})", self.prefix, function.0, arguments.join(", "))
            }
        }
    }

    fn kind(&self, expr: &Expr) -> Kind {
        self.program.kind(self.variables, expr)
    }

    fn bracketed(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        let is_one = matches!(
            expr,
            Expr::Variable(_) | Expr::And(..) | Expr::Or(..) | Expr::Binary(..) | Expr::Cast(..)
        );
        match is_one {
            true => text,
            false => format!("({text})"),
        }
    }

    fn call(&self, call: &Call) -> String {
        // Calls that may give up have a name each; those with a time have one argument more.
        let patient =
            |forever: &str, now: &str, timed: &str, patience: Patience, object: &Place| {
                let object = self.address(object);
                match patience {
                    Patience::Forever => format!("{forever}({object})"),
                    Patience::Now => format!("{now}({object})"),
                    Patience::Timed => format!("{timed}({object}, &soon)"),
                }
            };
        match call {
            Call::Lock(patience, lock) => patient(
                "pthread_mutex_lock",
                "pthread_mutex_trylock",
                "pthread_mutex_timedlock",
                *patience,
                lock,
            ),
            Call::Unlock(lock) => format!("pthread_mutex_unlock({})", self.address(lock)),
            Call::ReadLock(patience, lock) => patient(
                "pthread_rwlock_rdlock",
                "pthread_rwlock_tryrdlock",
                "pthread_rwlock_timedrdlock",
                *patience,
                lock,
            ),
            Call::WriteLock(patience, lock) => patient(
                "pthread_rwlock_wrlock",
                "pthread_rwlock_trywrlock",
                "pthread_rwlock_timedwrlock",
                *patience,
                lock,
            ),
            Call::RwUnlock(lock) => format!("pthread_rwlock_unlock({})", self.address(lock)),
            Call::SemWait(patience, semaphore) => patient(
                "sem_wait",
                "sem_trywait",
                "sem_timedwait",
                *patience,
                semaphore,
            ),
            Call::SemPost(semaphore) => format!("sem_post({})", self.address(semaphore)),
            Call::BarrierWait(barrier) => {
                format!("pthread_barrier_wait({})", self.address(barrier))
            }
            Call::SemValue(semaphore) => format!("value_of({})", self.address(semaphore)),
            Call::Destroy(object) => {
                let name = match self.program.object(object) {
                    Shape::Mutex(_) => "pthread_mutex_destroy",
                    Shape::RwLock => "pthread_rwlock_destroy",
                    Shape::Semaphore(_) => "sem_destroy",
                    Shape::Barrier(_) => "pthread_barrier_destroy",
                    _ => "pthread_cond_destroy",
                };
                format!("{name}({})", self.address(object))
            }
            Call::Wait(patience, condition, mutex) => {
                let (condition, mutex) = (self.address(condition), self.address(mutex));
                match patience {
                    Patience::Timed => {
                        format!("pthread_cond_timedwait({condition}, {mutex}, &soon)")
                    }
                    _ => format!("pthread_cond_wait({condition}, {mutex})"),
                }
            }
            Call::Signal(condition) => format!("pthread_cond_signal({})", self.address(condition)),
            Call::Broadcast(condition) => {
                format!("pthread_cond_broadcast({})", self.address(condition))
            }
            Call::Allocate => "(struct node *)calloc(1, sizeof(struct node))".to_string(),
            Call::AllocateSome(small) => {
                let small = self.expr(small);
                format!("(struct node *)calloc(1, {small} ? 8 : sizeof(struct node))")
            }
            Call::Free(pointer) => format!("free({})", self.expr(pointer)),
            Call::Create(thread) => format!(
                "pthread_create(&h{}, 0, {}thread{}, 0)",
                thread.0, self.prefix, thread.0
            ),
            Call::Join(thread) => format!("pthread_join(h{}, 0)", thread.0),
            Call::JoinResult(thread) => format!("joined(h{})", thread.0),
            Call::Yield => "sched_yield()".to_string(),
            Call::Exit => "exit(0)".to_string(),
        }
    }
}

/// The threads that a block creates, in order.
pub fn created_in(block: &[Stmt]) -> Vec<ThreadId> {
    let mut found = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::Do(Expr::Call(call)) => {
                if let Call::Create(thread) = **call {
                    found.push(thread);
                }
            }
            Stmt::If(_, then, otherwise) => {
                found.extend(created_in(then));
                found.extend(created_in(otherwise));
            }
            Stmt::While(_, body) | Stmt::DoWhile(body, _) | Stmt::Repeat(_, body) => {
                found.extend(created_in(body));
            }
            Stmt::Switch(_, cases) => {
                found.extend(cases.iter().flat_map(|(_, body)| created_in(body)));
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn declaration(kind: Kind, index: usize) -> String {
    match kind {
        Kind::Number => format!("long v{index}"),
        Kind::ToInt => format!("int *v{index}"),
        Kind::ToNode => format!("struct node *v{index}"),
    }
}

/// What lies on the heap, as a type.
fn object_text(shape: &Shape) -> &'static str {
    match shape {
        Shape::Buffer(_) => "unsigned char",
        Shape::Scalar(ty, _) => ty_text(*ty),
        Shape::Account => "struct account",
        Shape::Mutex(_) => "pthread_mutex_t",
        Shape::RwLock => "pthread_rwlock_t",
        Shape::Semaphore(_) => "sem_t",
        Shape::Barrier(_) => "pthread_barrier_t",
        Shape::Condition => "pthread_cond_t",
        _ => unreachable!("never on the heap"),
    }
}

fn ty_text(ty: Type) -> &'static str {
    match ty {
        Type::U8 => "unsigned char",
        Type::U16 => "unsigned short",
        Type::U32 => "unsigned",
        Type::I32 => "int",
        Type::I64 => "long",
        Type::Pointer(kind) => kind_text(kind),
    }
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "long",
        Kind::ToInt => "int *",
        Kind::ToNode => "struct node *",
    }
}

fn member_text(member: Member) -> String {
    match member {
        Member::NodeV | Member::AccountV => "v".to_string(),
        Member::NodeW => "w".to_string(),
        Member::NodeNext => "next".to_string(),
        Member::PairA => "a".to_string(),
        Member::PairB => "b".to_string(),
        Member::Whole => "whole".to_string(),
        Member::Half(index) => format!("half[{index}]"),
        Member::Byte(index) => format!("byte[{index}]"),
        Member::Low => "bits.low".to_string(),
        Member::Middle => "bits.middle".to_string(),
        Member::High => "bits.high".to_string(),
        Member::AccountMutex => "m".to_string(),
    }
}

fn operator_text(op: Operator) -> &'static str {
    match op {
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::And => "&",
        Operator::Or => "|",
        Operator::Xor => "^",
        Operator::Eq => "==",
        Operator::Ne => "!=",
        Operator::Lt => "<",
    }
}

fn order(access: Access) -> &'static str {
    match access {
        Access::Plain | Access::Atomic => "__ATOMIC_SEQ_CST",
        Access::Relaxed => "__ATOMIC_RELAXED",
    }
}
