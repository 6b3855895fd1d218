//! How long the main search will take in all, and what others may take meanwhile.
//!
//! Turns of others are lost if the main search was about to end. So it is asked, before they begin
//! and each time that it has had twice as long, how many executions it expects
//! (`explore::Estimate`). While the end is in sight, others get no more than a part of what the
//! main search is expected to take. That is only about time: estimates may be wrong by far, and
//! once the main search has had some seconds, they no longer count.

use std::time::Duration;

use explore::Estimate;

/// A search that ends by itself within this time is left alone, unless it is known that no end is
/// in sight.
const HEAD_START: Duration = Duration::from_millis(200);
/// The first estimate is made when the main search has had so long.
const FIRST: Duration = Duration::from_millis(50);

/// Others have nothing of a search that is expected to end so soon. They could not save more.
const NEAR: Duration = Duration::from_secs(1);
/// They have one part in so many of what a longer one is expected to take beyond that.
const PART: u32 = 4;
/// No end is in sight that is further away.
const FAR: Duration = Duration::from_secs(60);
/// What is expected of a search is not believed for longer.
const LONGEST: Duration = Duration::from_secs(8);
/// Of an execution that is no longer than one part in so many of the time, others may take a few.
const FEW: u32 = 8;

pub(super) struct Forecast {
    /// By the last estimate, if there is one.
    total: Option<Duration>,
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
        self.total = Some(Duration::from_secs_f64(total.min(1e9)));
    }

    /// It has started over.
    pub fn forget(&mut self) {
        self.total = None;
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
        match self.total {
            Some(total) if total >= FAR => true,
            _ if had < HEAD_START => false,
            Some(total) if had < LONGEST => {
                let total = total.max(had);
                beside < total.saturating_sub(NEAR) / PART
            }
            _ => true,
        }
    }

    /// Whether others may go on time and again. Where there is no estimate, executions may be few
    /// and long. Others cannot be left in the middle of one either, and take more than they get.
    pub fn lets_others_stay(&self, had: Duration) -> bool {
        let are_short = FEW * self.longest <= had;
        self.total.is_some() || had >= LONGEST || are_short
    }

    /// How long the next bug hunt may take, now that the main search has had so long.
    pub fn longest_hunt(&self, had: Duration) -> Duration {
        match self.total {
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
    fn others_get_a_part_of_what_is_expected() {
        let mut forecast = forecast(ms(500), 0.1);
        assert!(forecast.lets_others(ms(501), ms(999)));
        assert!(!forecast.lets_others(ms(501), ms(1000)));
        assert_eq!(forecast.longest_hunt(ms(501)), ms(500));
    }

    /// An estimate that was wrong, and that the search outgrows, starves the others for some
    /// seconds only.
    #[test]
    fn what_was_expected_is_not_believed_for_ever() {
        let mut forecast = forecast(ms(5000), 0.9);
        assert!(!forecast.lets_others(ms(7999), ms(2000)));
        assert!(forecast.lets_others(ms(8000), ms(2000)));
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
