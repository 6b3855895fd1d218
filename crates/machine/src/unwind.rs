//! C++ exceptions: finding the landing pad. Allocation and the caught stack are in the runtime
//! library (`cxx.c`), whose exceptions are four words: the object, where its handler sees it
//! (written here), its type info, its destructor.

use std::rc::Rc;

use crate::code::{Code, Pad};
use crate::fault::{Cutoff, Exec, Fault, Stop};
use crate::machine::Machine;
use crate::memory::ObjectKind;
use crate::value::Value;

/// What a landing pad receives.
enum Landing {
    Catch {
        selector: u64,
        /// What `__cxa_begin_catch` returns.
        adjusted: u64,
    },
    Cleanup,
}

/// What a type info describes, for catching.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Class,
    /// One public base at offset 0.
    SingleBase,
    Bases,
    Pointer,
    Function,
    Other,
}

const KINDS: [(&str, Kind); 5] = [
    ("_ZTVN10__cxxabiv117__class_type_infoE", Kind::Class),
    ("_ZTVN10__cxxabiv120__si_class_type_infoE", Kind::SingleBase),
    ("_ZTVN10__cxxabiv121__vmi_class_type_infoE", Kind::Bases),
    ("_ZTVN10__cxxabiv119__pointer_type_infoE", Kind::Pointer),
    ("_ZTVN10__cxxabiv120__function_type_infoE", Kind::Function),
];

/// Flags of a base in a type info with several.
const BASE_VIRTUAL: u64 = 1;
const BASE_PUBLIC: u64 = 2;
const BASE_OFFSET_SHIFT: u32 = 8;

/// Qualifiers of what a pointer points to.
const CONST: u64 = 1;
const QUALIFIERS: u64 = 7;
/// Of a function pointed to: transaction-safe, `noexcept`. May be lost, not gained.
const FUNCTION_QUALIFIERS: u64 = 0x60;

/// Where a base was found in an object.
enum Found {
    Nowhere,
    Once { address: u64, public: bool },
    Several,
}

impl Found {
    fn public(self) -> Option<u64> {
        match self {
            Found::Once {
                address,
                public: true,
            } => Some(address),
            _ => None,
        }
    }

    fn and(self, other: Found) -> Found {
        match (self, other) {
            (found, Found::Nowhere) | (Found::Nowhere, found) => found,
            // A virtual base is met once per path to it, and one public path is enough.
            (
                Found::Once {
                    address,
                    public: one,
                },
                Found::Once {
                    address: same,
                    public: other,
                },
            ) if address == same => Found::Once {
                address,
                public: one || other,
            },
            _ => Found::Several,
        }
    }
}

impl Machine {
    /// The number that stands for a type info in a selector. Never zero.
    pub(crate) fn selector_of(type_info: u64) -> u64 {
        // Globals start at chunk boundaries, so nothing is lost by the shift.
        1 + (type_info >> 6 & 0x3fff_ffff)
    }

    pub(crate) fn throw(&mut self, exception: u64) -> Exec<()> {
        let handler = (0..self.running.frames.len() - 1).rev().find(|i| {
            self.pad_of(*i).is_some_and(|pad| {
                matches!(
                    self.landing(pad, exception, *i),
                    Some(Landing::Catch { .. })
                )
            })
        });
        let Some(handler) = handler else {
            return self.fault(Fault::Abort("uncaught exception".to_string()));
        };
        // The routine would have to be run again, by whichever thread comes next.
        let left = &self.running.frames[handler + 1..];
        let functions = &self.program.module.functions;
        if left
            .iter()
            .any(|f| functions[f.function].name == "pthread_once")
        {
            let what = "exception out of pthread_once or std::call_once".to_string();
            return self.cut_off(Cutoff::UnmodelledFunction(what));
        }
        self.unwind(exception)
    }

    pub(crate) fn resume(&mut self, exception: Value) -> Exec<()> {
        let exception = self.number(exception)?;
        self.unwind(exception)
    }

    /// Pops frames until one has a landing pad for the exception, and goes on there.
    fn unwind(&mut self, exception: u64) -> Exec<()> {
        let program = Rc::clone(&self.program);
        let found = (0..self.running.frames.len() - 1).rev().find_map(|index| {
            let pad = self.pad_of(index)?;
            Some((index, pad, self.landing(pad, exception, index)?))
        });
        let Some((index, pad, landing)) = found else {
            return self.fault(Fault::Abort("uncaught exception".to_string()));
        };
        self.see_objects_die(self.running.frames[index + 1].stack.objects)?;
        while self.running.frames.len() > index + 1 {
            let function = self.running.frames.last().expect("a frame").function;
            if program.function(function).atomic {
                self.leave_atomic();
            }
            self.note_mystery();
            self.pop_frame();
        }
        let f = program.function(self.running.frames[index].function);
        let pad = &f.pads[pad];
        let base = self.running.frames[index].base as usize;
        let selector = match landing {
            Landing::Catch { selector, adjusted } => {
                let word = self.pointer_bytes();
                let bytes = &adjusted.to_le_bytes()[..word];
                self.state
                    .memory
                    .write_bytes(&mut self.trail, exception + word as u64, bytes);
                selector
            }
            Landing::Cleanup => 0,
        };
        self.take_edge(f, base, pad.edge);
        self.running.registers[base + pad.exception as usize] = Value::concrete(exception);
        self.running.registers[base + pad.selector as usize] = Value::concrete(selector);
        Err(Stop::Jumped)
    }

    /// The landing pad of the call that a frame is in.
    fn pad_of(&self, frame: usize) -> Option<usize> {
        let frame = &self.running.frames[frame];
        let f = self.program.function(frame.function);
        match f.code[frame.pc as usize] {
            Code::Invoke { pad, .. } => Some(pad as usize),
            _ => None,
        }
    }

    fn landing(&self, pad: usize, exception: u64, frame: usize) -> Option<Landing> {
        let frame = &self.running.frames[frame];
        let f = self.program.function(frame.function);
        let pad: &Pad = &f.pads[pad];
        let base = frame.base as usize;
        let object = self.pointer_at(exception);
        let thrown = self.pointer_at(exception + 2 * self.pointer_bytes() as u64);
        for slot in &pad.catches {
            let caught = self.running.registers[base + *slot as usize].bits;
            if caught == 0 {
                return Some(Landing::Catch {
                    selector: 1,
                    adjusted: object,
                });
            }
            if let Some(adjusted) = self.caught_as(object, thrown, caught) {
                return Some(Landing::Catch {
                    selector: Self::selector_of(caught),
                    adjusted,
                });
            }
        }
        for filter in &pad.filters {
            let allowed = filter.iter().any(|slot| {
                let type_info = self.running.registers[base + *slot as usize].bits;
                self.caught_as(object, thrown, type_info).is_some()
            });
            if !allowed {
                return Some(Landing::Catch {
                    selector: u64::from(u32::MAX),
                    adjusted: object,
                });
            }
        }
        pad.cleanup.then_some(Landing::Cleanup)
    }

    /// What a handler of type `caught` gets for an object of type `thrown`, if it is for it: the
    /// address of the object or of its base; of a pointer, its value.
    fn caught_as(&self, object: u64, thrown: u64, caught: u64) -> Option<u64> {
        let kind = self.kind_of(caught);
        if kind == Kind::Pointer {
            if self.is_type_info(thrown, "_ZTIDn") {
                return Some(0);
            }
            if self.kind_of(thrown) != Kind::Pointer {
                return None;
            }
            return self.pointer_as(self.pointer_at(object), thrown, caught);
        }
        if thrown == caught {
            return Some(object);
        }
        if !is_class(kind) || !is_class(self.kind_of(thrown)) {
            return None;
        }
        self.base_at(object, thrown, caught, true).public()
    }

    /// The value of a thrown pointer as one of type `caught`.
    fn pointer_as(&self, value: u64, thrown: u64, caught: u64) -> Option<u64> {
        if thrown == caught {
            return Some(value);
        }
        let (from, to) = (self.pointee(thrown), self.pointee(caught));
        if !qualifies(from.flags, to.flags) {
            return None;
        }
        if from.type_info == to.type_info {
            return Some(value);
        }
        let (from_kind, to_kind) = (self.kind_of(from.type_info), self.kind_of(to.type_info));
        if self.is_type_info(to.type_info, "_ZTIv") {
            return (from_kind != Kind::Function).then_some(value);
        }
        if from_kind == Kind::Pointer && to_kind == Kind::Pointer {
            let same = to.flags & CONST != 0 && self.pointers_agree(from.type_info, to.type_info);
            return same.then_some(value);
        }
        if !is_class(from_kind) || !is_class(to_kind) {
            return None;
        }
        if value == 0 {
            // Whether there is such a base does not depend on the object, unless it is virtual.
            return self.has_base(from.type_info, to.type_info).then_some(0);
        }
        self.base_at(value, from.type_info, to.type_info, true)
            .public()
    }

    /// Whether two pointer types differ in qualifiers only, and `const` is added all the way down
    /// to the last difference.
    fn pointers_agree(&self, thrown: u64, caught: u64) -> bool {
        if thrown == caught {
            return true;
        }
        let (from, to) = (self.pointee(thrown), self.pointee(caught));
        if !qualifies(from.flags, to.flags) {
            return false;
        }
        from.type_info == to.type_info
            || to.flags & CONST != 0
                && self.kind_of(from.type_info) == Kind::Pointer
                && self.kind_of(to.type_info) == Kind::Pointer
                && self.pointers_agree(from.type_info, to.type_info)
    }

    /// Looks for the base of type `wanted` in an object of type `class`.
    fn base_at(&self, object: u64, class: u64, wanted: u64, public: bool) -> Found {
        if class == wanted {
            return Found::Once {
                address: object,
                public,
            };
        }
        let mut found = Found::Nowhere;
        for base in self.bases(class) {
            let address = object.wrapping_add_signed(if base.is_virtual {
                self.signed_word_at(self.pointer_at(object).wrapping_add_signed(base.offset))
            } else {
                base.offset
            });
            let next = self.base_at(address, base.type_info, wanted, public && base.public);
            found = found.and(next);
        }
        found
    }

    fn has_base(&self, class: u64, wanted: u64) -> bool {
        class == wanted
            || self
                .bases(class)
                .iter()
                .any(|base| base.public && self.has_base(base.type_info, wanted))
    }

    fn bases(&self, class: u64) -> Vec<Base> {
        let word = self.pointer_bytes() as u64;
        match self.kind_of(class) {
            Kind::SingleBase => vec![Base {
                type_info: self.pointer_at(class + 2 * word),
                offset: 0,
                is_virtual: false,
                public: true,
            }],
            // After the name: flags, the number of bases, and for each a type info and a word with
            // offset and flags.
            Kind::Bases => {
                let count = u64::from(self.word(class + 2 * word + 4));
                let first = class + 2 * word + 8;
                (0..count)
                    .map(|i| {
                        let at = first + 2 * i * word;
                        let details = self.signed_word_at(at + word);
                        Base {
                            type_info: self.pointer_at(at),
                            offset: details >> BASE_OFFSET_SHIFT,
                            is_virtual: details as u64 & BASE_VIRTUAL != 0,
                            public: details as u64 & BASE_PUBLIC != 0,
                        }
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Of a pointer's type info: the qualifiers, and the type of what it points to.
    fn pointee(&self, pointer: u64) -> Pointee {
        let word = self.pointer_bytes() as u64;
        Pointee {
            flags: u64::from(self.word(pointer + 2 * word)),
            type_info: self.pointer_at(pointer + 3 * word),
        }
    }

    /// A type info's first word points two words into the table of the class that it is of.
    fn kind_of(&self, type_info: u64) -> Kind {
        let table = self
            .pointer_at(type_info)
            .wrapping_sub(2 * self.pointer_bytes() as u64);
        let name = self.global_at(table);
        KINDS
            .iter()
            .find(|(table, _)| name == Some(table))
            .map_or(Kind::Other, |(_, kind)| *kind)
    }

    fn is_type_info(&self, address: u64, name: &str) -> bool {
        self.global_at(address) == Some(name)
    }

    /// The name of the global that starts here.
    fn global_at(&self, address: u64) -> Option<&str> {
        let (_, object) = self.state.memory.live_object_at(address)?;
        match object.kind {
            ObjectKind::Global(global) if object.base == address => {
                Some(&self.program.module.globals[global].name)
            }
            _ => None,
        }
    }

    /// A word of pointer size.
    fn signed_word_at(&self, address: u64) -> i64 {
        let word = self.pointer_at(address);
        if self.pointer_bytes() == 4 {
            i64::from(word as u32 as i32)
        } else {
            word as i64
        }
    }
}

struct Base {
    type_info: u64,
    /// Of a virtual base: where in the object's table its offset is.
    offset: i64,
    is_virtual: bool,
    public: bool,
}

struct Pointee {
    flags: u64,
    type_info: u64,
}

fn is_class(kind: Kind) -> bool {
    matches!(kind, Kind::Class | Kind::SingleBase | Kind::Bases)
}

fn qualifies(from: u64, to: u64) -> bool {
    from & QUALIFIERS & !to == 0 && to & FUNCTION_QUALIFIERS & !from == 0
}
