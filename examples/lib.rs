//! What the examples share.

pub mod docs;

pub mod timing;
pub mod tree;
pub mod vad;
