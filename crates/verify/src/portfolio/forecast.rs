//! How long the main search will take in all, and what others may take meanwhile.
//!
//! Turns of others are lost if the main search was about to end. So it is asked, before they begin
//! and each time that it has had twice as long, how many executions it expects
//! (`explore::Estimate`). While the end is in sight, others get no more than what the main
//! search is expected to take. That is only about time: estimates may be wrong by far, and
//! once the main search has outgrown them, or has had some seconds, they no longer count.

use std::time::Duration;

use explore::Estimate;

/// A search that ends by itself within this time is left alone, unless it is known that no end is
/// in sight.
const HEAD_START: Duration = Duration::from_millis(200);
/// The first estimate is made when the main search has had so long.
const FIRST: Duration = Duration::from_millis(50);

/// Others have nothing of a search that is expected to end so soon, since they could not save more,
/// and of a longer one what it is expected to take beyond that: it takes twice as long at most.
const NEAR: Duration = Duration::from_secs(1);
/// No end is in sight that is further away.
const FAR: Duration = Duration::from_secs(60);
/// What is expected of a search is not believed for longer.
const LONGEST: Duration = Duration::from_secs(8);
/// Of an execution that is no longer than one part in so many of the time, others may take a few.
const FEW: u32 = 8;

pub(super) struct Forecast {
    /// By the last estimate, if there is one, and by the first.
    total: Option<Duration>,
    first: Option<Duration>,
    /// What the main search has had when it is asked for the next.
    next: Duration,
    is_wanted: bool,
    /// What it had had when it was last seen, and the longest time before that without being seen:
    /// about that of an execution.
    last: Duration,
    longest: Duration,
}

impl Forecast {
    pub fn new() -> Forecast {
        Forecast {
            total: None,
            first: None,
            next: FIRST,
            is_wanted: false,
            last: Duration::ZERO,
            longest: Duration::ZERO,
        }
    }

    /// Whether the main search is to estimate what it has before it. Says so once.
    pub fn take_wish(&mut self) -> bool {
        std::mem::take(&mut self.is_wanted)
    }

    /// What the main search says when it has had so long.
    pub fn set(&mut self, estimate: Estimate, had: Duration) {
        let done = estimate.executions as f64 / estimate.expected;
        let total = had.as_secs_f64() / done.max(f64::MIN_POSITIVE);
        // Longer than that is all the same.
        let total = Duration::from_secs_f64(total.min(1e9));
        self.total = Some(total);
        self.first.get_or_insert(total);
    }

    /// It has started over.
    pub fn forget(&mut self) {
        (self.total, self.first) = (None, None);
    }

    /// What is expected in all, unless that proved to be wrong.
    fn expected(&self, had: Duration) -> Option<Duration> {
        let is_believed = had < LONGEST && self.first.is_some_and(|first| had < 2 * first);
        let total = self.total.filter(|total| is_believed || *total >= FAR);
        total.map(|total| total.max(had))
    }

    /// Whether the others may go on, who have had so long beside the main search.
    pub fn lets_others(&mut self, had: Duration, beside: Duration) -> bool {
        self.longest = self.longest.max(had.saturating_sub(self.last));
        self.last = had;
        if had >= self.next {
            self.next = 2 * had;
            self.is_wanted = true;
            return false;
        }
        match self.expected(had) {
            Some(total) if total >= FAR => true,
            _ if had < HEAD_START => false,
            Some(total) => beside < total.saturating_sub(NEAR),
            None => true,
        }
    }

    /// Whether others may go on time and again. Where there is no estimate, executions may be few
    /// and long. Others cannot be left in the middle of one either, and take more than they get.
    pub fn lets_others_stay(&self, had: Duration) -> bool {
        let are_short = FEW * self.longest <= had;
        self.expected(had).is_some() || had >= LONGEST || are_short
    }

    /// How long the next bug hunt may take, now that the main search has had so long.
    pub fn longest_hunt(&self, had: Duration) -> Duration {
        match self.expected(had) {
            _ if had >= LONGEST => Duration::MAX,
            Some(total) if total >= FAR => Duration::MAX,
            Some(total) => total / 10,
            None => had / 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// After so much time, a thousandth, a tenth or whatever part of the executions is done.
    fn forecast(had: Duration, part: f64) -> Forecast {
        let mut forecast = Forecast::new();
        assert!(!forecast.lets_others(had, Duration::ZERO));
        assert!(forecast.take_wish());
        assert!(!forecast.take_wish());
        let executions = 1000;
        let expected = executions as f64 / part;
        forecast.set(
            Estimate {
                executions,
                expected,
            },
            had,
        );
        forecast
    }

    #[test]
    fn a_search_that_is_about_to_end_is_left_alone() {
        let mut forecast = forecast(ms(400), 0.5);
        for had in [401, 500, 799] {
            assert!(!forecast.lets_others(ms(had), Duration::ZERO));
        }
    }

    #[test]
    fn a_search_without_end_makes_room_at_once() {
        let mut forecast = forecast(ms(50), 1e-6);
        assert!(forecast.lets_others(ms(51), Duration::ZERO));
        assert!(forecast.lets_others(ms(99), Duration::from_secs(9)));
    }

    #[test]
    fn others_get_no_more_than_what_is_expected() {
        let mut forecast = forecast(ms(500), 0.1);
        assert!(forecast.lets_others(ms(501), ms(3999)));
        assert!(!forecast.lets_others(ms(501), ms(4000)));
        assert_eq!(forecast.longest_hunt(ms(501)), ms(500));
    }

    /// An estimate that was wrong starves the others for some seconds at most.
    #[test]
    fn what_was_expected_is_not_believed_for_ever() {
        let mut forecast = forecast(ms(5000), 0.9);
        assert!(!forecast.lets_others(ms(7999), ms(7000)));
        assert!(forecast.lets_others(ms(8000), ms(7000)));
    }

    /// However often it says that it is about to end.
    #[test]
    fn what_the_search_has_outgrown_is_not_believed() {
        let mut forecast = forecast(ms(300), 0.5);
        assert!(!forecast.lets_others(ms(600), Duration::ZERO));
        let (executions, expected) = (2000, 2001.0);
        let estimate = Estimate {
            executions,
            expected,
        };
        forecast.set(estimate, ms(600));
        assert!(!forecast.lets_others(ms(999), Duration::ZERO));
        assert!(!forecast.lets_others(ms(1200), Duration::ZERO));
        assert!(forecast.take_wish());
        assert!(forecast.lets_others(ms(1201), Duration::ZERO));
    }

    #[test]
    fn without_an_estimate_others_begin_after_the_head_start() {
        let mut forecast = Forecast::new();
        for had in (0..200).chain([200]) {
            assert!(!forecast.lets_others(ms(had), Duration::ZERO));
        }
        assert!(forecast.lets_others(ms(201), Duration::ZERO));
        assert!(forecast.lets_others_stay(ms(201)));
        assert_eq!(forecast.longest_hunt(ms(200)), ms(50));
    }

    /// What takes the main search half a second at a stretch takes others as long.
    #[test]
    fn long_executions_are_not_begun_too_soon() {
        let mut forecast = Forecast::new();
        assert!(!forecast.lets_others(ms(500), Duration::ZERO));
        assert!(forecast.lets_others(ms(999), Duration::ZERO));
        assert!(!forecast.lets_others_stay(ms(3999)));
        assert!(forecast.lets_others_stay(ms(4000)));
    }
}
