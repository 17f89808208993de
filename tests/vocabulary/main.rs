//! What the vocabulary promises a user: every view is a field and has a twin, what is private is kept, what is broken
//! is refused with its rule, and no claim of a file is believed.

mod blame;
mod claims;
mod fields;
mod parts;
mod private;
mod quantize;
