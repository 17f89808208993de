//! What went wrong for users of comparable tools, and has to come out right here. Each test bears the number
//! of its case.

mod c03_c19;
mod data;
mod hostile;
mod load;
mod save;
mod types;
mod wrong_files;

/// For what a hostile file makes the reader allocate.
#[global_allocator]
static ALLOCATOR: hurray_tests::Counting = hurray_tests::Counting;
