//! Pages: what does not fit beside one item. There is no code here.
//!
//! - [`mapping`]: how a model maps to a file, row by row.
//! - [`borrowing`]: who owns the bytes, and why `let m: Mlp<'_> = hurray::load(..)` does not compile.
//! - [`evolution`]: files of yesterday and structs of today: defaults, aliases, versions, ties, conversions.

#[doc = include_str!("mapping.md")]
pub mod mapping {}

#[doc = include_str!("borrowing.md")]
pub mod borrowing {}

#[doc = include_str!("evolution.md")]
pub mod evolution {}
