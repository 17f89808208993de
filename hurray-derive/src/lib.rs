//! Derive macros of the `hurray` crate: use them through it.
//!
//! Each derive parses the input (`ast`, `attr`), checks what needs more than one attribute or field (`check`), and
//! prints calls to `hurray::__private` (`expand`). Errors are collected (`ctxt`) and reported at once.

mod ast;
mod attr;
mod bound;
mod case;
mod check;
mod ctxt;
mod expand;
#[cfg(test)]
mod snapshots;
mod suggest;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::ast::Direction;

/// Derives `HurraySave`: how a struct or enum is saved.
///
#[doc = include_str!("attributes.md")]
#[proc_macro_derive(HurraySave, attributes(hurray))]
pub fn derive_save(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::derive(&input, Direction::Save).into()
}

/// Derives `HurrayLoad<'hurray>`: how a struct or enum is loaded.
///
/// The lifetime of the loaded bytes is called `'hurray` in the impl; `#[hurray(bound(load = ".."))]` may name it.
/// The attributes are those of [`HurraySave`](macro@HurraySave).
#[proc_macro_derive(HurrayLoad, attributes(hurray))]
pub fn derive_load(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::derive(&input, Direction::Load).into()
}
