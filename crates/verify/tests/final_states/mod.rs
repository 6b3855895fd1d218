//! What executions leave in memory, to be compared with what the reference says.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use ir::Symbol;
use machine::Machine;
use oracle::{Final, Program};
use smt::Model;
use verify::Watcher;

/// Final states of complete executions, for every input that follows them.
#[derive(Clone)]
pub struct Collector {
    program: Program,
    prefix: String,
    finals: Arc<Mutex<BTreeSet<Final>>>,
}

impl Collector {
    pub fn new(program: &Program, prefix: String) -> Collector {
        Collector {
            program: program.clone(),
            prefix,
            finals: Arc::default(),
        }
    }

    pub fn finals(&self) -> BTreeSet<Final> {
        self.finals.lock().expect("no panic").clone()
    }
}

/// The same, for a search without a check.
pub struct Collecting<'a>(pub &'a mut Collector);

impl verify::Monitor for Collecting<'_> {
    fn complete(&mut self, machine: &mut Machine) {
        self.0.complete(machine);
    }

    fn restart(&mut self) {
        self.0.restart();
    }

    fn helper(&mut self) -> Option<verify::Helper> {
        let mut collector = self.0.clone();
        Some(Box::new(move |machine| collector.complete(machine)))
    }
}

impl Watcher for Collector {
    fn complete(&mut self, machine: &mut Machine) {
        let inputs: HashMap<String, _> = machine
            .terms
            .inputs()
            .map(|i| (machine.terms.input_name(i).to_string(), i))
            .collect();
        let observed: Vec<_> = self
            .program
            .observables()
            .iter()
            .map(|o| {
                let global = machine
                    .program
                    .module
                    .global_named(&format!("{}{}", self.prefix, o.global))
                    .expect("an observable");
                let address =
                    machine.program.address_of(Symbol::Global(global)) + 4 * o.index as u64;
                let value = machine.state.memory.read(&mut machine.terms, address, 32);
                value.to_term(&mut machine.terms, 32)
            })
            .collect();
        for assignment in self.program.input_assignments() {
            let mut model = Model::new();
            for (k, value) in assignment.iter().enumerate() {
                if let Some(input) = inputs.get(&format!("T0.{k}.nondet_int")) {
                    model.set(*input, u128::from(*value as u32));
                }
            }
            let terms = &machine.terms;
            if machine
                .state
                .path
                .iter()
                .all(|c| terms.eval(*c, &model) == 1)
            {
                self.finals.lock().expect("no panic").insert(Final {
                    inputs: assignment.iter().map(|v| i64::from(*v)).collect(),
                    values: observed
                        .iter()
                        .map(|t| i64::from(terms.eval(*t, &model) as u32 as i32))
                        .collect(),
                });
            }
        }
    }

    fn restart(&mut self) {
        self.finals.lock().expect("no panic").clear();
    }
}
