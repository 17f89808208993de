//! Each attribute of the derives, by what it does to a file and to a load. The table of attributes names these tests,
//! and `table` sees to it that the names are right.

mod bounds;
mod names;
mod table;
mod tensors;
mod variants;
mod versions;
