//! `hurray inspect`: what a file holds, for people.

mod describe;
mod metadata;
mod rows;
mod tree;

use std::io::{self, Write};

use super::source::{explain, open};
use super::text::{Bytes, Count, Ink, Style, counted, printable, report};
use super::{Outcome, args};
use crate::reader::{File, OpenOptions};
use rows::{Row, View};
use tree::Tree;

/// No name takes more of a line.
const MAX_NAME: usize = 80;

/// The labels of rows line up as far as this.
const MAX_LABEL_WIDTH: usize = 44;

pub(super) fn run(
    arguments: &args::Inspect,
    out: &mut dyn Write,
    err: &mut dyn Write,
    style: Style,
) -> io::Result<Outcome> {
    // What a strict reader refuses is still worth a look.
    let file = match open(&arguments.file, OpenOptions::new().permissive().omit_private_fields()) {
        Ok(file) => file,
        Err(error) => {
            report(err, explain(&error));
            return Ok(Outcome::Bad);
        }
    };
    let tree = Tree::of(&file);
    writeln!(out, "{}", style.paint(Ink::Heading, arguments.file.display()))?;
    summary(&file, &tree, out)?;
    metadata::write(&file, arguments.all, out, style)?;
    let view = View { depth: arguments.depth, all: arguments.all };
    let rows = view.rows(&tree);
    if !rows.is_empty() {
        writeln!(out, "\n{}", style.paint(Ink::Heading, "tensors"))?;
        write_rows(&rows, out, style)?;
    }
    if tree.errors.is_empty() {
        return Ok(Outcome::Good);
    }
    out.flush()?;
    for error in &tree.errors {
        report(err, format_args!("`{}`: {error}", arguments.file.display()));
    }
    Ok(Outcome::Bad)
}

fn summary(file: &File, tree: &Tree, out: &mut dyn Write) -> io::Result<()> {
    let container = file.container();
    let (major, minor) = container.version;
    let total = tree.total();
    let mut facts = vec![
        format!("{} of data", Bytes(total.bytes)),
        counted(total.tensors, "tensor"),
        format!("{} elements", Count(total.elements)),
    ];
    if tree.heads > 0 {
        facts.push(counted(tree.heads, "composite"));
    }
    writeln!(out, "  {}", facts.join(", "))?;
    let size = Bytes(file.size_bytes());
    writeln!(out, "  {size} in all, container {major}.{minor}, data aligned to {}", container.alignment)
}

fn write_rows(rows: &[Row], out: &mut dyn Write, style: Style) -> io::Result<()> {
    let width = |row: &Row| row.indent.saturating_add(row.label.chars().count());
    let labels = rows.iter().map(width).filter(|width| *width <= MAX_LABEL_WIDTH).max().unwrap_or(0);
    let texts =
        rows.iter().map(|row| row.text.chars().count()).filter(|width| *width <= 60).max().unwrap_or(0);
    for row in rows {
        let (indent, gap) = (row.indent, labels.saturating_sub(width(row)));
        let label = style.paint(row.ink, &row.label);
        let line = format!("{:indent$}{label}{:gap$}  {:texts$}  {}", "", "", row.text, row.size);
        writeln!(out, "  {}", line.trim_end())?;
    }
    Ok(())
}

/// A name within bounds, in quotes where it could not be seen otherwise.
fn shown_name(name: &str) -> String {
    let shown = printable(name, MAX_NAME);
    if name.is_empty() || name.trim() != name { format!("\"{shown}\"") } else { shown }
}
