//! Cases of what the compiler says to users; see `ui.rs`.
