//! Random C programs full of pointers: to globals, to members of records and elements of arrays, on
//! the heap, to functions; pointers that are copied as numbers, as bytes and with marks in their
//! low bits.
//!
//! For comparing static facts with executions. There is no reference for these: what they do is
//! what the machine says. Every pointer is valid at all times, every loop and every call ends, so
//! that nothing but an assertion can fail.

use std::fmt::Write;

use crate::random::Random;

const DECLARATIONS: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node { int a; int b; struct node *next; int *q; };
struct pair { int *first; struct node second; };

int g0 = 1, g1 = 2, g2, g3 = 3;
int items[4] = {1, 0, 2, 3};
int *p0 = &g0, *p1 = &items[1], *p2 = &g2;
extern struct node s1;
struct node s0 = {1, 2, &s1, &g2};
struct node s1 = {3, 0, &s0, &g3};
struct node *h0 = &s0, *h1 = &s1;
struct pair w0 = {&g1, {0, 1, &s0, &items[2]}};

static struct node *make(int value)
{
    struct node *node = malloc(sizeof *node);
    node->a = value;
    node->b = 1;
    node->next = node;
    node->q = &node->b;
    return node;
}

static void swap(int **x, int **y)
{
    int *old = *x;
    *x = *y;
    *y = old;
}

";

/// The program of a seed; with no threads, `main` does everything. It ends with assertions, of
/// which one fails in most runs.
pub fn pointer_program(seed: u64, threads: usize) -> String {
    let mut c = Writer {
        random: Random::new(seed),
        text: DECLARATIONS.to_string(),
        functions: 0,
        is_function: false,
        locals: 0,
    };
    for number in 0..3 {
        let _ = writeln!(c.text, "static int f{number}(int x)\n{{");
        c.is_function = true;
        c.statements(1..=3, 1);
        let result = c.number(1);
        let _ = writeln!(c.text, "    return x + {result};\n}}\n");
        c.functions = number + 1;
    }
    c.is_function = false;
    c.text.push_str("int (*k0)(int) = f0, (*k1)(int) = f1;\n\n");
    for number in 0..threads {
        let _ = writeln!(c.text, "static void *thread{number}(void *x)\n{{");
        c.statements(2..=5, 1);
        if c.random.percent(40) {
            c.assertion();
        }
        c.text.push_str("    return x;\n}\n\n");
    }
    c.text
        .push_str("int main(void)\n{\n    pthread_t t[2];\n    (void)t;\n");
    c.locals();
    c.statements(if threads == 0 { 10..=20 } else { 3..=6 }, 1);
    for number in 0..threads {
        let _ = writeln!(
            c.text,
            "    pthread_create(&t[{number}], 0, thread{number}, 0);"
        );
    }
    c.statements(0..=2, 1);
    for number in 0..threads {
        let _ = writeln!(c.text, "    pthread_join(t[{number}], 0);");
    }
    c.statements(1..=2, 1);
    c.assertion();
    c.text.push_str("    return 0;\n}\n");
    c.text
}

struct Writer {
    random: Random,
    text: String,
    /// Functions that may be called: those that are written already, so that no call comes back.
    functions: usize,
    is_function: bool,
    /// Of `main`: `l0` an int, `m0` a pointer, `n0` a node, and so on.
    locals: usize,
}

impl Writer {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    /// Only `main` has locals with addresses: those of others would be left behind.
    fn locals(&mut self) {
        for local in 0..self.random.below(3) {
            let start = self.random.below(3);
            self.line(
                1,
                &format!(
                    "int l{local} = {start}, *m{local} = &l{local}; struct node n{local} = {{l{local}, 0, &s0, m{local}}};"
                ),
            );
            self.locals = local + 1;
        }
    }

    fn statements(&mut self, count: std::ops::RangeInclusive<usize>, depth: usize) {
        for _ in 0..self.random.within(&count) {
            self.statement(depth);
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * depth);
    }

    fn statement(&mut self, depth: usize) {
        let kind = self.random.below(if depth < 3 { 22 } else { 18 });
        match kind {
            0..=5 => {
                let (to, value) = (self.place(), self.number(2));
                self.line(depth, &format!("{to} = {value};"));
            }
            6..=8 => {
                let (to, value) = (self.pointer_place(), self.pointer());
                self.line(depth, &format!("{to} = {value};"));
            }
            9 | 10 => {
                let (to, value) = (self.node_place(), self.node());
                self.line(depth, &format!("{to} = {value};"));
            }
            11 => {
                let (to, value) = (self.pointer_place(), self.pointer());
                let text = match self.random.below(4) {
                    0 => format!("{{ uintptr_t v = (uintptr_t){value}; {to} = (int *)v; }}"),
                    1 => format!("{to} = (int *)(((uintptr_t){value} | 1) & ~(uintptr_t)1);"),
                    // Into a local: of what another thread looks at, one could see a half.
                    2 => format!("{{ int *v = {value}, *w; memcpy(&w, &v, sizeof v); {to} = w; }}"),
                    _ => format!(
                        "{{ int *v = {value}, *w; for (int i = 0; i < 8; i++) ((char *)&w)[i] = ((char *)&v)[i]; {to} = w; }}"
                    ),
                };
                self.line(depth, &text);
            }
            12 => {
                let (x, y) = (self.pointer_place(), self.pointer_place());
                self.line(depth, &format!("swap(&{x}, &{y});"));
            }
            13 => {
                let (to, from) = (self.node(), self.node());
                let text = match self.random.below(3) {
                    0 => format!("*{to} = *{from};"),
                    1 => format!("memmove({to}, {from}, sizeof(struct node));"),
                    _ => format!("w0.second = *{from};"),
                };
                self.line(depth, &text);
            }
            14 => {
                let node = self.node();
                let member = self.pick(&["0", "4"]);
                let value = self.number(1);
                self.line(
                    depth,
                    &format!("*(int *)((char *){node} + {member}) = {value};"),
                );
            }
            15 if !self.is_function => {
                let (to, from) = (
                    self.pick(&["k0", "k1"]),
                    self.pick(&["f0", "f1", "f2", "k0"]),
                );
                self.line(depth, &format!("{to} = {from};"));
            }
            16 if !self.is_function => {
                let (to, function) = (self.place(), self.pick(&["k0", "k1"]));
                let value = self.number(1);
                self.line(depth, &format!("{to} = {function}({value});"));
            }
            15..=17 if self.functions > 0 => {
                let (to, function) = (self.place(), self.random.below(self.functions));
                let value = self.number(1);
                self.line(depth, &format!("{to} = f{function}({value});"));
            }
            18 | 19 => {
                let condition = self.condition();
                self.line(depth, &format!("if ({condition}) {{"));
                self.statements(1..=2, depth + 1);
                if self.random.percent(40) {
                    self.line(depth, "} else {");
                    self.statements(1..=1, depth + 1);
                }
                self.line(depth, "}");
            }
            20 => {
                self.line(
                    depth,
                    &format!("for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{"),
                );
                self.statements(1..=1, depth + 1);
                self.line(depth, "}");
            }
            _ => {
                let value = self.number(1);
                let node = self.pick(&["h0", "h1", "s0.next"]);
                self.line(depth, &format!("{node} = make({value});"));
            }
        }
    }

    /// An assertion for each value, so that those that fail say which there are.
    fn assertion(&mut self) {
        let place = self.place();
        self.line(1, &format!("int value = {place};"));
        for value in 0..5 {
            self.line(1, &format!("if (value == {value}) assert(!\"{value}\");"));
        }
    }

    fn condition(&mut self) -> String {
        let place = self.place();
        let comparison = self.pick(&["==", "!=", "<"]);
        let value = self.random.below(4);
        format!("{place} {comparison} {value}")
    }

    fn number(&mut self, depth: usize) -> String {
        match self.random.below(if depth > 0 { 7 } else { 4 }) {
            0 => self.random.below(5).to_string(),
            1..=3 => self.place(),
            4 => {
                let (a, b) = (self.place(), self.number(depth - 1));
                format!("({a} + {b} & 7)")
            }
            5 => {
                let (a, b) = (self.number(depth - 1), self.random.below(4));
                format!("({a} ^ {b})")
            }
            _ => {
                let (x, y) = (self.pointer(), self.pointer());
                format!("({x} == {y})")
            }
        }
    }

    /// An int that can be written.
    fn place(&mut self) -> String {
        match self.random.below(12) {
            0..=2 => self.pick(&["g0", "g1", "g2", "g3"]).to_string(),
            3 => {
                let index = self.pick(&["0", "1", "g1 & 3", "s0.a & 3"]);
                format!("items[{index}]")
            }
            4..=6 => {
                let pointer = self.pointer_place();
                format!("*{pointer}")
            }
            7..=9 => {
                let (node, member) = (self.node_place(), self.pick(&["a", "b"]));
                format!("{node}->{member}")
            }
            10 if self.locals > 0 => {
                let local = self.random.below(self.locals);
                let form = self.pick(&["l", "*m"]);
                format!("{form}{local}")
            }
            10 => self.pick(&["s0.a", "s1.b"]).to_string(),
            _ => self.pick(&["s0.b", "s1.a", "w0.second.a"]).to_string(),
        }
    }

    /// A pointer to int that can be written.
    fn pointer_place(&mut self) -> String {
        match self.random.below(8) {
            0..=3 => self.pick(&["p0", "p1", "p2"]).to_string(),
            4 | 5 => {
                let node = self.node_place();
                format!("{node}->q")
            }
            6 if self.locals > 0 => format!("m{}", self.random.below(self.locals)),
            _ => self.pick(&["s0.q", "w0.first", "w0.second.q"]).to_string(),
        }
    }

    fn pointer(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => self.pointer_place(),
            2 | 3 => {
                let place = self.place();
                format!("&{place}")
            }
            4 => {
                let condition = self.condition();
                let (x, y) = (
                    self.pointer_place(),
                    self.pick(&["&g0", "&g3", "&items[3]"]),
                );
                format!("({condition} ? {x} : {y})")
            }
            _ => {
                let node = self.node_place();
                format!("&{node}->a")
            }
        }
    }

    /// A pointer to a node that can be written.
    fn node_place(&mut self) -> String {
        match self.random.below(8) {
            0..=4 => self.pick(&["h0", "h1"]).to_string(),
            5 => self.pick(&["s0.next", "w0.second.next"]).to_string(),
            _ => self.pick(&["h0->next", "h1->next->next"]).to_string(),
        }
    }

    fn node(&mut self) -> String {
        match self.random.below(6) {
            0..=2 => self.node_place(),
            3 if self.locals > 0 => format!("(&n{})", self.random.below(self.locals)),
            3 | 4 => self.pick(&["(&s0)", "(&s1)", "(&w0.second)"]).to_string(),
            _ => {
                let value = self.random.below(4);
                format!("make({value})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program() {
        assert_eq!(pointer_program(7, 2), pointer_program(7, 2));
        assert_ne!(pointer_program(7, 2), pointer_program(8, 2));
        assert!(!pointer_program(7, 0).contains("pthread_create"));
    }
}
