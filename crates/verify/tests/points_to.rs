//! Points-to facts against executions: whatever a program is seen to touch, the analysis says it
//! may touch.
//!
//! Programs of `tests/programs` run once or a few times each, scheduled at random. Every access to
//! a global, a thread-local or the heap that the machine records is looked up among the accesses of
//! the instructions that stand at the same place in the source. (Locals are left out: by the time
//! the event is read, their addresses may belong to others.)

use std::path::{Path, PathBuf};

use analysis::{
    AccessKind, CallGraph, Limits, NodeId, Nodes, ObjectKind, PlaceSet, PointsTo, external,
};
use ir::debug::LocId;
use ir::{FuncId, Module};
use machine::{Answer, EventKind, Inputs, Machine, Probes, Question, Setup, Situation};

/// Of the programs, every so many-eth.
const STRIDE: usize = 8;
/// Scheduling decisions of one run; the rest of a longer one is not looked at.
const DECISIONS: usize = 2000;
/// Every program is too large.
const NONE: Limits = Limits {
    work: usize::MAX,
    touched: 0,
};

#[test]
fn what_is_touched_was_foreseen() {
    let stride = std::env::var("POINTS_TO_STRIDE").ok();
    let stride = stride.and_then(|s| s.parse().ok()).unwrap_or(STRIDE);
    let mut events = 0;
    for file in programs().into_iter().step_by(stride) {
        let Ok(loaded) = verify::load(std::slice::from_ref(&file), &[]) else {
            continue;
        };
        // As it is, and as if it were a large program.
        for limits in [Limits::default(), NONE] {
            let foreseen = Foreseen::of(&loaded.program.module, limits);
            for seed in 1..=3 {
                events += run(&loaded, &foreseen, &file, seed);
            }
        }
    }
    assert!(events > 2000, "only {events} accesses were checked");
}

/// Pointers that are copied, tagged, hidden in integers, passed through everything that passes
/// them.
const TRICKY: &str = r#"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; void (*visit)(struct node *); struct node *others[3]; };
static struct node first, second, third;
static struct node *head;
static int targets[8];
static int visited, sum;

static void visit(struct node *n) { n->value++; visited += n->value; }
static void visit_next(struct node *n) { n->next->value++; }

static struct node *make(int value) { struct node *n = malloc(sizeof *n); memset(n, 0, sizeof *n); n->value = value; return n; }
static struct node *make_twice(int value) { struct node *n = make(value); n->next = make(value + 1); return n; }

static int *tag(int *p) { return (int *)((uintptr_t)p | 1); }
static int *untag(int *p) { return (int *)((uintptr_t)p & ~(uintptr_t)1); }

static int *last(int count, ...)
{
    va_list list;
    int *p = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        p = va_arg(list, int *);
    va_end(list);
    return p;
}

static int compare(const void *a, const void *b) { return **(int *const *)a - **(int *const *)b; }

static void *run(void *arg)
{
    struct node *n = arg;
    n->value = 7;
    n->visit(n);
    struct node *own = make_twice(3);
    own->next->value = 4;
    return own;
}

static void bytes(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = ((const char *)from)[i];
}

static jmp_buf buffer;

int main(void)
{
    pthread_t threads[2];
    void *result;
    first.visit = visit;
    second.visit = visit_next;
    second.next = &third;
    pthread_create(&threads[0], 0, run, &first);
    pthread_create(&threads[1], 0, run, &second);
    pthread_join(threads[0], &result);
    ((struct node *)result)->next->value++;
    pthread_join(threads[1], &result);
    ((struct node *)result)->value++;

    for (int i = 0; i < 3; i++)
        first.others[i] = i == 1 ? &second : &third;
    struct node copy = first;
    copy.others[1]->value = 1;
    struct node moved;
    bytes(&moved, &copy, sizeof moved);
    moved.others[2]->value = 2;
    moved.visit(&third);
    struct node *array = calloc(2, sizeof *array);
    memcpy(&array[1], &moved, sizeof moved);
    array = realloc(array, 4 * sizeof *array);
    array[1].others[0]->value = 3;
    for (struct node *walk = array; walk != array + 2; walk++)
        if (walk->visit)
            walk->visit(walk->others[1]);

    *untag(tag(&targets[3])) = 1;
    uintptr_t hidden = (uintptr_t)&targets[1] ^ (uintptr_t)&head;
    *(int *)(hidden ^ (uintptr_t)&head) = 2;
    ptrdiff_t way = (char *)&targets[5] - (char *)&sum;
    *(int *)((char *)&sum + way) = 3;
    *last(3, &targets[0], &sum, &targets[6]) = 4;
    uint32_t low = (uint32_t)(uintptr_t)&targets[7], high = (uint32_t)((uintptr_t)&targets[7] >> 32);
    *(int *)((uintptr_t)high << 32 | low) = 5;
    double disguise;
    int *p = &targets[2];
    memcpy(&disguise, &p, sizeof p);
    double other = disguise;
    memcpy(&p, &other, sizeof p);
    *p = 6;

    int *sorted[3] = {&targets[7], &targets[0], &targets[3]};
    qsort(sorted, 3, sizeof sorted[0], compare);
    *sorted[0] = 9;

    head = make(1);
    head->next = make_twice(2);
    if (setjmp(buffer) == 0) {
        head->next->next->value = 8;
        longjmp(buffer, 1);
    }
    while (head) {
        struct node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    return 0;
}
"#;

#[test]
fn tricky_pointers_are_foreseen() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tricky.c");
    std::fs::write(&file, TRICKY).expect("the file is written");
    for flags in [&[][..], &["-m32".to_string()]] {
        let loaded = match verify::load(std::slice::from_ref(&file), flags) {
            Ok(loaded) => loaded,
            // Headers for 32 bits are not everywhere.
            Err(_) if !flags.is_empty() => continue,
            Err(error) => panic!("{error}"),
        };
        for limits in [Limits::default(), NONE] {
            let foreseen = Foreseen::of(&loaded.program.module, limits);
            let checked: usize = (1..=5)
                .map(|seed| run(&loaded, &foreseen, &file, seed))
                .sum();
            // The machine does not record what it does on its fastest path.
            assert!(checked > 100, "only {checked} accesses were checked");
        }
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut files = Vec::new();
    for kind in ["safe", "bug"] {
        let entries = std::fs::read_dir(folder.join(kind)).expect("the folder of the programs");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        // These are about what the analysis does not foresee: executions check it
        // (`machine::premises`).
        let paths = paths.filter(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            let tricks = ["forged", "from_bits", "slice_pointer_"];
            !tricks.iter().any(|trick| name.contains(trick))
        });
        // What C++ does in headers is shown where the program includes them: the place is not that
        // of an instruction.
        let is_source = |path: &PathBuf| path.extension().is_some_and(|e| e == "c");
        files.extend(paths.filter(is_source));
    }
    files.sort();
    files
}

struct Foreseen<'m> {
    module: &'m Module,
    nodes: Nodes,
    points_to: PointsTo,
    calls: CallGraph,
}

impl<'m> Foreseen<'m> {
    fn of(module: &'m Module, limits: Limits) -> Foreseen<'m> {
        let nodes = Nodes::of(module);
        let points_to = PointsTo::within(module, &nodes, limits);
        let calls = CallGraph::of(module, &nodes, &points_to);
        Foreseen {
            module,
            nodes,
            points_to,
            calls,
        }
    }

    /// Nodes that a report would show at this place: those of the function there, and of the
    /// library functions it calls there.
    fn nodes_at(&self, function: FuncId, loc: LocId) -> Vec<NodeId> {
        let own = self.nodes.of_function(function);
        let own: Vec<NodeId> = own
            .filter(|node| self.nodes.loc(self.module, *node) == loc)
            .collect();
        let mut pending: Vec<FuncId> = own
            .iter()
            .flat_map(|node| self.points_to.callees(*node))
            .copied()
            .collect();
        let exits = |callee: &FuncId| {
            let external = external::of_id(self.module, *callee);
            external.is_some_and(|e| e.class == external::Class::ExitsThread)
        };
        // There the machine lets main go on.
        if pending.iter().any(exits) {
            pending.extend(self.module.function_named("__sleave_main_exited"));
        }
        let mut all = own;
        let mut seen = vec![false; self.module.functions.len()];
        while let Some(callee) = pending.pop() {
            let f = &self.module.functions[callee];
            if !f.runtime || f.body.is_none() || std::mem::replace(&mut seen[callee.index()], true)
            {
                continue;
            }
            all.extend(self.nodes.of_function(callee));
            pending.extend(self.calls.callees(callee));
        }
        all
    }

    fn has(&self, set: PlaceSet, kind: machine::ObjectKind, offset: u64) -> bool {
        self.points_to.places(set).iter().any(|place| {
            place.may_be(offset as i64)
                && self.is_meant(self.points_to.objects()[place.object].kind, kind)
        })
    }

    fn is_meant(&self, foreseen: ObjectKind, seen: machine::ObjectKind) -> bool {
        match (foreseen, seen) {
            (ObjectKind::Anything, _) => true,
            (ObjectKind::Global(global), machine::ObjectKind::Global(seen))
            | (ObjectKind::Global(global), machine::ObjectKind::ThreadLocal(seen, _)) => {
                global == seen
            }
            (ObjectKind::Pool(_), machine::ObjectKind::Heap { .. }) => true,
            // What the library allocates is shown where it was called.
            (ObjectKind::Heap { site, .. }, machine::ObjectKind::Heap { loc, .. }) => {
                let function = self.nodes.function(site);
                self.module.functions[function].runtime || self.nodes.loc(self.module, site) == loc
            }
            _ => false,
        }
    }
}

/// One execution. How many accesses were looked up.
fn run(loaded: &verify::Loaded, foreseen: &Foreseen, file: &Path, seed: u64) -> usize {
    let inputs = Inputs::Concrete(Default::default());
    let setup = Setup {
        inputs,
        probes: Probes::default().with_recorder(),
        ..Setup::default()
    };
    let Ok(mut machine) = Machine::start(loaded.program.clone(), setup) else {
        return 0;
    };
    let mut random = seed;
    let mut next = |count: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % count
    };
    let mut checked = 0;
    for _ in 0..DECISIONS {
        let situation = machine.advance().clone();
        checked += check_events(&mut machine, foreseen, file);
        match situation {
            Situation::End(_) => break,
            Situation::Schedule => {
                let enabled = machine.enabled().to_vec();
                if enabled.is_empty() {
                    break;
                }
                machine.schedule(enabled[next(enabled.len())]);
            }
            Situation::Join => machine.join_on(),
            Situation::Await { .. } | Situation::Spin => machine.yield_spinning(),
            Situation::Ask(Question::Choice(count)) => {
                machine.answer(Answer::Number(next(count as usize) as u128));
            }
            Situation::Ask(_) => break,
        }
    }
    checked
}

fn check_events(machine: &mut Machine, foreseen: &Foreseen, file: &Path) -> usize {
    let mut checked = 0;
    for event in machine.take_events() {
        let (address, kinds): (u64, &[AccessKind]) = match event.kind {
            EventKind::Read { address, .. } => (address, &[AccessKind::Read]),
            EventKind::Write { address, .. } => (address, &[AccessKind::Write]),
            EventKind::Update { address, .. } | EventKind::CompareExchange { address, .. } => {
                (address, &[AccessKind::Read, AccessKind::Write])
            }
            // Some only look.
            EventKind::Sync { address, .. } => (address, &[AccessKind::Read]),
            _ => continue,
        };
        let Some(id) = machine.state.memory.object_at(address) else {
            continue;
        };
        let object = machine.state.memory.object(id);
        let (kind, offset) = (object.kind, address - object.base);
        let checkable = matches!(
            kind,
            machine::ObjectKind::Global(_)
                | machine::ObjectKind::ThreadLocal(..)
                | machine::ObjectKind::Heap { .. }
        );
        // The end of a thread is no part of anybody's code, and is not shown anywhere.
        let loc = foreseen.module.debug.locs[event.loc];
        if !checkable || !loc.is_known() {
            continue;
        }
        checked += 1;
        let nodes = foreseen.nodes_at(event.function, event.loc);
        for wanted in kinds {
            // Some shims touch more than one place in one access.
            let found = nodes.iter().any(|node| {
                let accesses = foreseen.points_to.accesses(*node).iter();
                accesses
                    .filter(|access| access.kind == *wanted)
                    .any(|access| {
                        let reach = access.bytes.unwrap_or(u64::MAX).min(offset + 1);
                        (0..reach).any(|back| foreseen.has(access.locations, kind, offset - back))
                    })
            });
            assert!(
                found,
                "{}:{}: {wanted:?} of {kind:?} + {offset} by {:?} was not foreseen",
                file.display(),
                loc.line,
                foreseen.module.functions[event.function].name,
            );
        }
    }
    checked
}
