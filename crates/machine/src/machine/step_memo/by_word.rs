//! What is remembered for each word that was found. Some words exclude others: the last that was
//! put in stays.

pub(super) struct ByWord<T>(Vec<Option<(u64, T)>>);

/// Words beside each other have slots of their own.
const SLOTS: usize = 16;

fn slot(word: u64) -> usize {
    (word ^ word >> 4) as usize % SLOTS
}

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        ByWord(Vec::new())
    }
}

impl<T> ByWord<T> {
    #[inline(always)]
    pub fn get(&self, word: u64) -> Option<&T> {
        match self.0.get(slot(word)) {
            Some(Some((known, value))) if *known == word => Some(value),
            _ => None,
        }
    }

    pub fn put(&mut self, word: u64, value: T) {
        self.0.resize_with(SLOTS, || None);
        self.0[slot(word)] = Some((word, value));
    }
}
