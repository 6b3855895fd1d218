//! Threads and what they share, for `sleave analyze`.
