//! The arguments of the command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Looks into Hurray files (`.hrry`): model weights, their names, shapes and metadata.
#[derive(Debug, Parser)]
#[command(name = "hurray", version, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Inspect(Inspect),
    Dump(Dump),
    Verify(Verify),
}

/// Shows what a file holds as a tree: composites, tensors, sizes, metadata.
///
/// Long lists are folded so that a model of ten thousand tensors fits on a few screens.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    /// The file.
    pub(super) file: PathBuf,
    /// How many levels of the tree to show; what lies deeper is summed up.
    #[arg(long, value_name = "N")]
    pub(super) depth: Option<usize>,
    /// Shows everything: every tensor, and the metadata of the library itself.
    #[arg(long)]
    pub(super) all: bool,
}

/// Prints all facts about a file as one JSON object.
#[derive(Debug, Args)]
pub(super) struct Dump {
    /// The file.
    pub(super) file: PathBuf,
    /// With the values of all elements.
    #[arg(long)]
    pub(super) values: bool,
    /// Lets through what the format allows a permissive reader.
    #[arg(long)]
    pub(super) permissive: bool,
}

/// Checks files against every rule of the format.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The files.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Checks the bytes of tensors and padding, too; reads the whole file.
    #[arg(long)]
    pub(super) data: bool,
}
