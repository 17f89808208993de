//! safetensors 0.8: conversion from and to its files.
//!
//! Both directions are bit-exact and stream: memory does not grow with the tensors. What the other format has
//! no place for is listed, and makes the conversion fail before anything is written, unless the caller says to
//! skip it.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name);
//! # hurray::to_writer(std::fs::File::create(path("model.hrry"))?, &std::collections::BTreeMap::from([
//! #     ("weight".to_owned(), vec![1.0f32, 2.0]),
//! # ]))?;
//! hurray::safetensors::export(path("model.hrry"), path("model.safetensors"))?;
//! hurray::safetensors::import(path("model.safetensors"), path("again.hrry"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An open safetensors file can also lend its tensors to a model that is to be saved: its views become
//! [`TensorView`](crate::TensorView)s by `try_into`.

mod dtype;
mod error;
mod export;
mod gather;
mod groups;
mod header;
mod import;
mod set;
mod source;
mod texts;
mod view;

pub use error::{ConvertError, ShardProblem, ShardProblemKind, SourceError, Unsupported, UnsupportedKind};
pub use export::{ExportOptions, ExportReport, export, export_mapped};
pub use import::{ImportOptions, ImportReport, import, import_mapped};
