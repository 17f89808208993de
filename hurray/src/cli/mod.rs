//! The `hurray` command (feature `cli`): `inspect`, `dump` and `verify`.
//!
//! Not part of the public interface: the command is.

mod args;
mod dump;
mod inspect;
mod source;
mod text;
mod verify;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

pub use dump::{Dump, dump};
pub use verify::problems;

use args::{Arguments, Command};
use text::{Style, report};

/// How a command ended; the exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// 0.
    Good = 0,
    /// 1: a file can't be read, or breaks a rule.
    Bad = 1,
    /// 2: the command was not understood.
    Usage = 2,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Good => Self::SUCCESS,
            Outcome::Bad => Self::FAILURE,
            Outcome::Usage => Self::from(2),
        }
    }
}

/// Runs the command with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(shown) => {
            // The text of `--help` and `--version` comes as an error, too.
            let _ = shown.print();
            return if shown.use_stderr() { Outcome::Usage } else { Outcome::Good }.into();
        }
    };
    let stdout = io::stdout().lock();
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let style = Style::new(stdout.is_terminal() && !is_plain);
    let mut out = BufWriter::new(stdout);
    let ran = run(&arguments.command, &mut out, &mut io::stderr().lock(), style);
    let (outcome, written) = match ran {
        Ok(outcome) => (outcome, out.flush()),
        Err(error) => (Outcome::Good, Err(error)),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            report(&mut io::stderr().lock(), format_args!("cannot write: {error}"));
            Outcome::Bad.into()
        }
        // Whoever reads may have enough, as `head` has.
        _ => outcome.into(),
    }
}

/// Runs one command. Results go to `out`, errors to `err`.
fn run(command: &Command, out: &mut dyn Write, err: &mut dyn Write, style: Style) -> io::Result<Outcome> {
    match command {
        Command::Inspect(arguments) => inspect::run(arguments, out, err, style),
        Command::Dump(arguments) => dump::run(arguments, out, err),
        Command::Verify(arguments) => verify::run(arguments, out, err),
    }
}
