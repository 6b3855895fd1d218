//! The binary form of a module: complete as the textual one is, and an order of magnitude faster to
//! read.
//!
//! It is what serde's derives make of the types in [`postcard`]'s format. It passes between
//! processes and build steps of one version of Sleave, so it carries no version and no names of
//! fields.
//!
//! `read(write(m)) == m` for every module (test `write_then_read_is_identity`); other bytes give
//! `None` or another module, never a panic (test `damaged_bytes_do_not_panic`).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::module::{Init, Relocation};

/// The binary form of `value`.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    append(value, &mut out);
    out
}

/// Appends the binary form of `value` to `out`.
pub fn append<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    let before = std::mem::take(out);
    *out = postcard::to_extend(value, before).expect("memory takes any number of bytes");
}

/// The value whose binary form is `bytes`.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}

/// The value whose binary form `bytes` begin with.
pub fn read_first<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (value, _) = postcard::take_from_bytes(bytes).ok()?;
    Some(value)
}

/// The size, the bytes up to the last that is not zero, and the relocations: most globals end with
/// many zeros.
impl Serialize for Init {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Init { bytes, relocations } = self;
        let last = bytes.iter().rposition(|&byte| byte != 0);
        let written = &bytes[..last.map_or(0, |last| last + 1)];
        (bytes.len(), written, relocations).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Init {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (len, written, relocations) =
            <(usize, &[u8], Vec<Relocation>)>::deserialize(deserializer)?;
        if written.len() > len || len > MOST_INITIAL_BYTES {
            return Err(serde::de::Error::custom("no size of a global"));
        }
        let mut bytes = vec![0; len];
        bytes[..written.len()].copy_from_slice(written);
        Ok(Init { bytes, relocations })
    }
}

/// Far more than the globals of a program under test hold. Damaged bytes must not ask for all
/// memory there is.
const MOST_INITIAL_BYTES: usize = 1 << 32;
