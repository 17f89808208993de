//! Conversion from and to safetensors.
#![cfg(test)]

mod carried;
mod common;
mod groups;
mod models;
mod refused;
mod sharded;
