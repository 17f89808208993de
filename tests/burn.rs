//! burn modules and tensors in Hurray files, on the default CPU backend.

#[path = "burn/derived.rs"]
mod derived;
#[path = "burn/docs.rs"]
mod docs;
#[path = "burn/module.rs"]
mod module;
#[path = "burn/store.rs"]
mod store;
#[path = "burn/zero_copy.rs"]
mod zero_copy;
