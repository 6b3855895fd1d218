//! Numbers, texts, lists, pairs.

use base::IndexVec;

use super::{Binary, Input, write_slice};

macro_rules! unsigned {
    ($($ty:ident),*) => {$(
        impl Binary for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                let mut rest = *self;
                while rest > 0x7f {
                    out.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                out.push(rest as u8);
            }

            #[inline]
            fn read(input: &mut Input<'_>) -> Option<Self> {
                let first = input.byte()?;
                let mut number = $ty::from(first & 0x7f);
                let (mut byte, mut shift) = (first, 0);
                while byte & 0x80 != 0 {
                    byte = input.byte()?;
                    shift += 7;
                    number |= $ty::from(byte & 0x7f).checked_shl(shift)?;
                }
                Some(number)
            }
        }
    )*};
}

unsigned!(u32, u64, u128);

macro_rules! signed {
    ($($ty:ident as $unsigned:ident),*) => {$(
        impl Binary for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                (((*self << 1) ^ (*self >> ($ty::BITS - 1))) as $unsigned).write(out);
            }

            fn read(input: &mut Input<'_>) -> Option<Self> {
                let number = $unsigned::read(input)?;
                Some((number >> 1) as $ty ^ -((number & 1) as $ty))
            }
        }
    )*};
}

signed!(i64 as u64, i128 as u128);

impl Binary for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        u64::read(input)?.try_into().ok()
    }
}

impl Binary for u8 {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        input.byte()
    }
}

impl Binary for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        match input.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Binary for String {
    fn write(&self, out: &mut Vec<u8>) {
        write_slice(self.as_bytes(), out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        String::from_utf8(input.slice()?.to_vec()).ok()
    }
}

impl<T: Binary> Binary for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(match bool::read(input)? {
            true => Some(T::read(input)?),
            false => None,
        })
    }
}

impl<T: Binary, const N: usize> Binary for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        for item in self {
            item.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        let items: Option<Vec<T>> = (0..N).map(|_| T::read(input)).collect();
        items?.try_into().ok()
    }
}

impl<T: Binary> Binary for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|item| item.write(out));
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        let len = usize::read(input)?;
        // Every item takes a byte at least.
        let mut items = Vec::with_capacity(len.min(input.bytes.len()));
        for _ in 0..len {
            items.push(T::read(input)?);
        }
        Some(items)
    }
}

impl<I, T: Binary> Binary for IndexVec<I, T>
where
    I: From<usize> + Into<usize> + Copy,
{
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|item| item.write(out));
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some(Vec::read(input)?.into_iter().collect())
    }
}

impl<A: Binary, B: Binary> Binary for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        Some((A::read(input)?, B::read(input)?))
    }
}
