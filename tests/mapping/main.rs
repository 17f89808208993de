//! How a model maps to a file: names, heads, entries, and the way back.

mod attributes;
mod depth;
mod flat;
mod groups;
mod maps;
mod options;
mod scalars;
mod sequences;
mod shapes;
