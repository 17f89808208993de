//! The `hurray` command.

fn main() {}
