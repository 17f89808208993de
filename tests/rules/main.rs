//! Rules that hold wherever a value stands: what attributes say goes with the value, and what a file says of itself
//! is held against what it has.

mod entries;
mod field_rules;
mod migrations;
