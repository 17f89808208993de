//! Partitions, overlays and deep models: as values, as fields, and in files.

mod deep;
mod derived;
mod errors;
mod overlays;
mod pages;
mod partitions;
mod random;
mod speed;
