//! A `Vec` that is indexed by one kind of id only.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: From<usize> + Into<usize> + Copy, T> IndexVec<I, T> {
    pub const fn new() -> Self {
        IndexVec {
            items: Vec::new(),
            ids: PhantomData,
        }
    }

    /// Appends `item` and returns its id.
    #[inline]
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from(self.items.len() - 1)
    }

    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Makes room for `id`: what is new up to it is a copy of `item`.
    #[inline]
    pub fn reach(&mut self, id: I, item: T)
    where
        T: Clone,
    {
        let index: usize = id.into();
        if self.items.len() <= index {
            self.items.resize(index + 1, item);
        }
    }

    /// Takes an item out. The ids of those after it become smaller by one.
    pub fn remove(&mut self, id: I) -> T {
        self.items.remove(id.into())
    }

    /// Takes `id` and all after it out.
    #[inline]
    pub fn drain_from(&mut self, id: I) -> std::vec::Drain<'_, T> {
        self.items.drain(id.into()..)
    }

    /// Moves all of the items to the end.
    #[inline]
    pub fn append<J>(&mut self, items: &mut IndexVec<J, T>) {
        self.items.append(&mut items.items);
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The id that the next `push` will return.
    #[inline]
    pub fn next_id(&self) -> I {
        I::from(self.items.len())
    }

    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.into())
    }

    #[inline]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.into())
    }

    #[inline]
    pub fn last(&self) -> Option<&T> {
        self.items.last()
    }

    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut()
    }

    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    #[inline]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from)
    }

    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from(i), t))
    }

    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec {
            items: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<I: Into<usize>, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.into()]
    }
}

impl<I: Into<usize>, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.into()]
    }
}

impl<I, T> Extend<T> for IndexVec<I, T> {
    #[inline]
    fn extend<It: IntoIterator<Item = T>>(&mut self, iter: It) {
        self.items.extend(iter);
    }
}

impl<I: From<usize>, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        IndexVec {
            items: iter.into_iter().collect(),
            ids: PhantomData,
        }
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<I, T: Serialize> Serialize for IndexVec<I, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de, I, T: Deserialize<'de>> Deserialize<'de> for IndexVec<I, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(IndexVec {
            items: Vec::deserialize(deserializer)?,
            ids: PhantomData,
        })
    }
}
