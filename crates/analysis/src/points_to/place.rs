//! Abstract objects, places in them, and the cells in which they hold addresses.
//!
//! A *place* is where an address may point: an object and either one offset in bytes, or all
//! offsets with the same remainder modulo a stride. A pointer into an array of records that moves
//! by whole records keeps its field.
//!
//! A *cell* holds addresses: a word of an object that is aligned like a pointer, or all words with
//! the same remainder modulo a number of words. Whatever touches a byte of a word touches its cell.
//! So copying byte by byte and addresses that are not aligned need no special treatment.

use base::{IndexVec, id};
use ir::{FuncId, GlobalId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::node::NodeId;

id!(
    /// An abstract object: all that come from one place in the program.
    ObjectId, "o"
);

/// What is known of an abstract object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: ObjectKind,
    /// Of every object that it stands for. `None`: not known.
    pub size: Option<u64>,
    /// It is never written.
    pub constant: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// All that there is, and nothing in particular: where an address leads that comes from outside
    /// the program.
    Anything,
    /// A global variable; if it is thread-local, the copies of all threads.
    Global(GlobalId),
    /// A function and its labels.
    Function(FuncId),
    /// A local variable.
    Local(NodeId),
    /// What a call has allocated. `caller`: when it was made by this call of the function that the
    /// site is in.
    Heap {
        site: NodeId,
        caller: Option<NodeId>,
    },
    /// What several calls have allocated, in a large program. Numbers tell pools apart.
    Pool(u32),
    /// The variable arguments of all calls of a function.
    VariableArguments(FuncId),
    /// `errno` of all threads.
    Errno,
    /// What `stdin`, `stdout` and `stderr` point to.
    Stream,
    /// The array that `main` is given.
    ArgumentVector,
    /// The texts in it.
    ArgumentText,
    /// Memory between being read and being written by one copying operation. No address leads
    /// there.
    Copying(NodeId),
}

/// Some offsets in an object, in bytes: one if the stride is zero, otherwise all with that
/// remainder. Stride 1: all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub object: ObjectId,
    pub offset: i64,
    pub stride: u64,
}

impl Place {
    pub(super) fn start(object: ObjectId) -> Place {
        Place {
            object,
            offset: 0,
            stride: 0,
        }
    }

    pub(super) fn anywhere(object: ObjectId) -> Place {
        Place {
            object,
            offset: 0,
            stride: 1,
        }
    }

    /// All `self + by + i * stride`.
    pub(super) fn shifted(self, by: i64, stride: u64) -> Place {
        let stride = gcd(self.stride, stride);
        let offset = self.offset.wrapping_add(by);
        let offset = match i64::try_from(stride) {
            Ok(0) | Err(_) => offset,
            Ok(stride) => offset.rem_euclid(stride),
        };
        Place {
            object: self.object,
            offset,
            stride,
        }
    }

    /// Whether the offset may be this one.
    pub fn may_be(self, offset: i64) -> bool {
        congruent(self.offset, offset, self.stride)
    }

    /// Whether all of the other place of the same object is in this one.
    pub(super) fn contains(self, other: Place) -> bool {
        self.may_be(other.offset) && gcd(self.stride, other.stride) == self.stride
    }

    /// Whether accesses of these sizes at two places of one object may touch the same byte. `None`:
    /// up to the end of the object.
    pub fn may_overlap(self, bytes: Option<u64>, other: Place, others: Option<u64>) -> bool {
        let stride = gcd(self.stride, other.stride);
        let distance = i128::from(other.offset) - i128::from(self.offset);
        if stride == 0 {
            // One begins before the other ends.
            return if distance >= 0 {
                bytes.is_none_or(|bytes| distance < i128::from(bytes))
            } else {
                others.is_none_or(|bytes| -distance < i128::from(bytes))
            };
        }
        let (Some(bytes), Some(others)) = (bytes, others) else {
            return true;
        };
        let stride = i128::from(stride);
        let ahead = distance.rem_euclid(stride);
        ahead < i128::from(bytes) || stride - ahead < i128::from(others)
    }
}

/// Greatest common divisor; that of zero and a number is the number.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn congruent(a: i64, b: i64, modulus: u64) -> bool {
    match modulus {
        0 => a == b,
        _ => match (a.checked_sub(b), i64::try_from(modulus)) {
            (Some(distance), Ok(modulus)) => distance % modulus == 0,
            _ => (i128::from(a) - i128::from(b)) % i128::from(modulus) == 0,
        },
    }
}

/// Words of an object: one if the step is zero, otherwise all with that remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub at: i64,
    pub step: u64,
}

impl Key {
    pub const ALL: Key = Key { at: 0, step: 1 };

    pub fn overlaps(self, other: Key) -> bool {
        congruent(self.at, other.at, gcd(self.step, other.step))
    }
}

/// Objects, and places by number.
pub(super) struct Places {
    pub objects: IndexVec<ObjectId, Object>,
    /// How many places each has.
    counts: IndexVec<ObjectId, u32>,
    all: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    /// Bytes of a pointer.
    word: i64,
    /// More places than that of one object are taken for all of it. It bounds what a pointer can do
    /// that moves on and on.
    limit: u32,
}

impl Places {
    pub fn new(word: u64, limit: u32) -> Places {
        Places {
            objects: IndexVec::new(),
            counts: IndexVec::new(),
            all: Vec::new(),
            numbers: FxHashMap::default(),
            word: word as i64,
            limit,
        }
    }

    pub fn add_object(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        self.counts.push(0);
        self.objects.push(Object {
            kind,
            size,
            constant: false,
        })
    }

    pub fn get(&self, number: u32) -> Place {
        self.all[number as usize]
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// All places that have a number.
    pub fn numbered(&self) -> impl Iterator<Item = (Place, u32)> + '_ {
        self.all.iter().copied().zip(0..)
    }

    /// The number of a place; or of the whole object, if too many of its places have one.
    pub fn number(&mut self, place: Place) -> u32 {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let count = &mut self.counts[place.object];
        if *count >= self.limit && place.stride != 1 {
            return self.number(Place::anywhere(place.object));
        }
        *count += 1;
        let number = self.all.len() as u32;
        self.all.push(place);
        self.numbers.insert(place, number);
        number
    }

    /// The number of what a change makes of a place. In a function nothing is told apart but its
    /// beginning and its labels.
    pub fn changed(&mut self, number: u32, change: impl Fn(Place) -> Place) -> u32 {
        let from = self.get(number);
        let to = change(from);
        let is_code = matches!(self.objects[from.object].kind, ObjectKind::Function(_));
        match is_code && to != from {
            true => self.number(Place::anywhere(from.object)),
            false => self.number(to),
        }
    }

    /// The words that an access of this size touches. None if there is no such access: out of
    /// bounds, the program has ended.
    pub fn keys(&self, place: Place, bytes: Option<u64>) -> SmallVec<[Key; 2]> {
        let object = &self.objects[place.object];
        let mut keys = SmallVec::new();
        if matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Anything) {
            return keys;
        }
        let whole = |keys: &mut SmallVec<[Key; 2]>| keys.extend(self.key(place.object, Key::ALL));
        let Some(bytes) = bytes.and_then(|bytes| i64::try_from(bytes).ok()) else {
            whole(&mut keys);
            return keys;
        };
        let Some(end) = place.offset.checked_add(bytes) else {
            return keys;
        };
        let words = place.offset.div_euclid(self.word)..=(end - 1).div_euclid(self.word);
        let word = self.word as u64;
        if place.stride == 0 {
            let size = object.size.and_then(|size| i64::try_from(size).ok());
            if place.offset < 0 || size.is_some_and(|size| end > size) || bytes == 0 {
                return keys;
            }
            keys.extend(words.filter_map(|at| self.key(place.object, Key { at, step: 0 })));
        } else if !place.stride.is_multiple_of(word) || bytes as u64 >= place.stride {
            whole(&mut keys);
        } else {
            let step = place.stride / word;
            keys.extend(words.filter_map(|at| self.key(place.object, Key { at, step })));
        }
        keys
    }

    /// The same words in the simplest form; `None` if the object has none of them.
    pub fn key(&self, object: ObjectId, key: Key) -> Option<Key> {
        let size = self.objects[object].size;
        let words = size.map(|size| size.div_ceil(self.word as u64));
        let words = words.and_then(|words| i64::try_from(words).ok());
        if key.step == 0 {
            let inside = key.at >= 0 && words.is_none_or(|words| key.at < words);
            return inside.then_some(key);
        }
        let Ok(step) = i64::try_from(key.step) else {
            return Some(Key::ALL);
        };
        let at = key.at.rem_euclid(step);
        match words {
            Some(words) if at >= words => None,
            Some(words) if at + step >= words => Some(Key { at, step: 0 }),
            _ => Some(Key { at, step: key.step }),
        }
    }

    pub fn word(&self) -> i64 {
        self.word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(offset: i64, stride: u64) -> Place {
        Place {
            object: ObjectId(0),
            offset,
            stride,
        }
    }

    /// The offsets of a place that lie in a small range.
    fn offsets(place: Place) -> Vec<i64> {
        (-200..200).filter(|&at| place.may_be(at)).collect()
    }

    #[test]
    fn overlap_is_that_of_the_bytes() {
        let places = [
            place(0, 0),
            place(4, 0),
            place(8, 0),
            place(0, 8),
            place(4, 16),
            place(12, 16),
            place(3, 24),
            place(0, 1),
        ];
        for a in places {
            for b in places {
                for (m, n) in [(1, 1), (4, 4), (8, 4), (1, 8), (16, 2)] {
                    let touch = |at: &i64, bytes: u64| *at..*at + bytes as i64;
                    let expected = offsets(a).iter().any(|x| {
                        offsets(b).iter().any(|y| {
                            let (p, q) = (touch(x, m), touch(y, n));
                            p.start < q.end && q.start < p.end
                        })
                    });
                    assert_eq!(
                        a.may_overlap(Some(m), b, Some(n)),
                        expected,
                        "{a:?} {m} {b:?} {n}"
                    );
                }
            }
        }
    }

    #[test]
    fn shifting_keeps_all_sums() {
        for from in [place(8, 0), place(4, 8), place(0, 24), place(0, 1)] {
            for (by, stride) in [(4, 0), (-16, 0), (0, 12), (8, 16)] {
                let to = from.shifted(by, stride);
                for at in offsets(from) {
                    for i in [-2, 0, 3] {
                        assert!(
                            to.may_be(at + by + i * stride as i64),
                            "{from:?} {by} {stride}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn cells_of_small_and_large_objects() {
        let mut places = Places::new(8, 256);
        let scalar = places.add_object(ObjectKind::Errno, Some(4));
        let array = places.add_object(ObjectKind::Stream, Some(64));
        let at = |object, offset, stride| Place {
            object,
            offset,
            stride,
        };
        let keys = |place, bytes| places.keys(place, bytes).to_vec();
        let exact = |at| Key { at, step: 0 };
        assert_eq!(keys(at(scalar, 0, 4), Some(4)), [exact(0)]);
        assert_eq!(keys(at(scalar, 0, 1), None), [exact(0)]);
        assert_eq!(keys(at(array, 8, 0), Some(8)), [exact(1)]);
        assert_eq!(keys(at(array, 6, 0), Some(4)), [exact(0), exact(1)]);
        assert_eq!(keys(at(array, 64, 0), Some(1)), []);
        assert_eq!(keys(at(array, -8, 0), Some(8)), []);
        assert_eq!(keys(at(array, 8, 16), Some(8)), [Key { at: 1, step: 2 }]);
        assert_eq!(keys(at(array, 4, 12), Some(4)), [Key::ALL]);
        assert_eq!(keys(at(array, 40, 64), Some(8)), [exact(5)]);
    }
}
