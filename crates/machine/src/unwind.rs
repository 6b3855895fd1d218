//! C++ exceptions: finding the landing pad. Allocation and the caught stack are in the runtime library (`cxx.c`), which puts
//! the type info's address one word before the exception object.

use std::sync::Arc;

use crate::code::{Code, Pad};
use crate::fault::{Exec, Fault, Stop};
use crate::machine::Machine;
use crate::value::Value;

/// What a landing pad is told.
enum Landing {
    Catch(u64),
    Cleanup,
}

impl Machine {
    /// The number that stands for a type info in a selector. Never zero.
    pub(crate) fn selector_of(type_info: u64) -> u64 {
        // Globals start at chunk boundaries, so nothing is lost by the shift.
        1 + (type_info >> 6 & 0x3fff_ffff)
    }

    pub(crate) fn throw(&mut self, exception: u64) -> Exec<()> {
        let handled = (0..self.frames.len() - 1).rev().any(|i| {
            self.pad_of(i).is_some_and(|pad| {
                matches!(self.landing(pad, exception, i), Some(Landing::Catch(_)))
            })
        });
        if !handled {
            return self.fault(Fault::Abort("uncaught exception".to_string()));
        }
        self.unwind(exception)
    }

    pub(crate) fn resume(&mut self, exception: Value) -> Exec<()> {
        let exception = self.number(exception)?;
        self.unwind(exception)
    }

    /// Pops frames until one has a landing pad for the exception, and goes on there.
    fn unwind(&mut self, exception: u64) -> Exec<()> {
        let program = Arc::clone(&self.program);
        while self.frames.len() > 1 {
            let function = self.frames.last().expect("a frame").function;
            if program.function(function).atomic {
                self.leave_atomic();
            }
            self.pop_frame();
            let index = self.frames.len() - 1;
            let Some(pad) = self.pad_of(index) else {
                continue;
            };
            let f = program.function(self.frames[index].function);
            let pad = &f.pads[pad];
            let Some(landing) =
                self.landing(self.pad_of(index).expect("found above"), exception, index)
            else {
                continue;
            };
            let base = self.frames[index].base as usize;
            let selector = match landing {
                Landing::Catch(selector) => selector,
                Landing::Cleanup => 0,
            };
            self.take_edge(f, base, pad.edge);
            self.registers[base + pad.exception as usize] = Value::concrete(exception);
            self.registers[base + pad.selector as usize] = Value::concrete(selector);
            return Err(Stop::Jumped);
        }
        self.fault(Fault::Abort("uncaught exception".to_string()))
    }

    /// The landing pad of the call that a frame is in.
    fn pad_of(&self, frame: usize) -> Option<usize> {
        let frame = &self.frames[frame];
        let f = self.program.function(frame.function);
        match f.code[frame.pc as usize] {
            Code::Invoke { pad, .. } => Some(pad as usize),
            _ => None,
        }
    }

    fn landing(&self, pad: usize, exception: u64, frame: usize) -> Option<Landing> {
        let frame = &self.frames[frame];
        let f = self.program.function(frame.function);
        let pad: &Pad = &f.pads[pad];
        let base = frame.base as usize;
        let thrown = self.pointer_at(exception - 2 * self.pointer_bytes() as u64);
        for slot in &pad.catches {
            let caught = self.registers[base + *slot as usize].bits;
            if caught == 0 || self.type_matches(thrown, caught) {
                return Some(Landing::Catch(if caught == 0 {
                    1
                } else {
                    Self::selector_of(caught)
                }));
            }
        }
        for filter in &pad.filters {
            let allowed = filter
                .iter()
                .any(|slot| self.type_matches(thrown, self.registers[base + *slot as usize].bits));
            if !allowed {
                return Some(Landing::Catch(u64::from(u32::MAX)));
            }
        }
        pad.cleanup.then_some(Landing::Cleanup)
    }

    /// Whether `caught` is the thrown class or one of its (singly inherited) bases.
    fn type_matches(&self, thrown: u64, caught: u64) -> bool {
        let mut class = thrown;
        let word = self.pointer_bytes() as u64;
        loop {
            if class == caught {
                return true;
            }
            // A class with one base has its type info as third word; others end after the name.
            let Some((_, object)) = self.memory.live_object_at(class) else {
                return false;
            };
            if object.size != 3 * word {
                return false;
            }
            class = self.pointer_at(class + 2 * word);
        }
    }
}
