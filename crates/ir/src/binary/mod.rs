//! The binary form of a module: complete as the textual one is, and an order of magnitude faster to
//! read.
//!
//! It passes between processes and build steps of one version of Sleave, so it carries no version
//! and no names of fields. Numbers are written in groups of seven bits, lowest first, signed ones
//! with the sign in the lowest bit; lists and texts begin with their length; an alternative begins
//! with its number.
//!
//! `read(write(m)) == m` for every module (test `write_then_read_is_identity`); other bytes give
//! `None` or another module, never a panic.

mod code;
mod primitive;

/// What has a binary form.
pub trait Binary: Sized {
    fn write(&self, out: &mut Vec<u8>);

    fn read(input: &mut Input<'_>) -> Option<Self>;
}

/// The bytes that are still to be read.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes }
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Bytes that [`write_slice`] wrote, without copying them.
    pub fn slice(&mut self) -> Option<&'a [u8]> {
        let count = usize::read(self)?;
        self.take(count)
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }
}

/// The binary form of `value`.
pub fn write<T: Binary>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

/// What `bytes`, and no more than them, is the binary form of.
pub fn read<T: Binary>(bytes: &[u8]) -> Option<T> {
    let mut input = Input::new(bytes);
    let value = T::read(&mut input)?;
    input.bytes.is_empty().then_some(value)
}

pub fn write_slice(bytes: &[u8], out: &mut Vec<u8>) {
    bytes.len().write(out);
    out.extend_from_slice(bytes);
}
