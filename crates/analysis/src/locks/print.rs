//! Locks held, for `sleave analyze`.
