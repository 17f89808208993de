//! Derive macros of the `hurray` crate.
