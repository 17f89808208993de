//! Partitions, overlays and deep models: as values, as fields, and in files.

mod deep;
mod derived;
mod overlays;
mod pages;
mod partitions;
mod random;
mod speed;
