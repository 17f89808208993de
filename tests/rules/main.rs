//! Rules that hold wherever a value stands: what attributes say goes with the value, and what a file says of itself
//! is held against what it has.

mod collisions;
mod entries;
mod field_rules;
mod key_maps;
mod maps;
mod migrations;
mod names;
mod notes;
mod ties;
mod variants;
mod zoo;
