//! Chains: steps of a thread that is alone, taken together. The other threads can do nothing before
//! it has ended, so that what it does follows from where it stands and what it finds. As long as it
//! accesses one cell only, its steps are remembered as one.

use super::StepMemo;
use super::place::{Access, Next, Place};
use crate::memory::Memory;
use crate::thread::PlaceId;

/// What steps do to the cell that they are on, and how it counts.
#[derive(Clone, Copy)]
pub(super) struct Effect {
    pub events: u32,
    pub changes: u32,
    /// What is there afterwards, if it was written.
    pub written: Option<u64>,
}

impl Effect {
    pub fn one(written: Option<u64>) -> Effect {
        Effect {
            events: 1,
            changes: u32::from(written.is_some()),
            written,
        }
    }

    fn then(self, later: Effect) -> Effect {
        Effect {
            events: self.events + later.events,
            changes: self.changes + later.changes,
            written: later.written.or(self.written),
        }
    }
}

pub(super) struct Chain {
    pub effect: Effect,
    pub next: Next,
}

impl Place {
    /// The chain from here, if this word is found.
    #[inline(always)]
    pub fn chain(&self, access: &Access, word: u64, memory: &Memory) -> Option<&Chain> {
        let chain = self.chains.get(word)?;
        let Access { chunk, bytes, .. } = *access;
        let may = chain.effect.written.is_none() || memory.is_writable_visible(chunk, bytes);
        may.then_some(chain)
    }
}

/// A chain in the making.
pub(super) struct OpenChain {
    place: PlaceId,
    word: u64,
    access: Access,
    effect: Effect,
    links: u32,
}

impl OpenChain {
    pub fn begin(place: PlaceId, word: u64, access: Access, effect: Effect) -> OpenChain {
        OpenChain {
            place,
            word,
            access,
            effect,
            links: 1,
        }
    }
}

impl StepMemo {
    /// Adds a link to a chain, or begins another with it. If it is not plain, it belongs to none.
    pub(super) fn add_link(
        &mut self,
        chain: Option<OpenChain>,
        link: OpenChain,
        is_plain: bool,
    ) -> Option<OpenChain> {
        match chain {
            Some(mut chain)
                if is_plain
                    && chain.access.chunk == link.access.chunk
                    && chain.access.bytes == link.access.bytes =>
            {
                chain.effect = chain.effect.then(link.effect);
                chain.links += 1;
                Some(chain)
            }
            chain => {
                if let Some(chain) = chain {
                    self.end_chain(chain, Next::Place(link.place));
                }
                is_plain.then_some(link)
            }
        }
    }

    /// The chain leads there.
    pub(super) fn end_chain(&mut self, chain: OpenChain, next: Next) {
        if chain.links > 1 {
            let effect = chain.effect;
            let chains = &mut self.places[chain.place.index()].chains;
            chains.put(chain.word, Chain { effect, next });
        }
    }
}
