//! Frameworks, each behind a feature of its name.

#[cfg(feature = "burn")]
pub mod burn;
