//! Helpers of the integration tests: build a file, change a named field of it, compare.

pub mod manifest;
