//! Text for people: sizes, counts, names, colours.

use std::fmt;
use std::io::Write;

/// One line about an error. Whether anybody reads it does not matter to the outcome.
pub(super) fn report(err: &mut dyn Write, message: impl fmt::Display) {
    let _ = writeln!(err, "error: {message}");
}

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    is_coloured: bool,
}

/// What a piece of text is, and so its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Heading,
    Name,
    Quiet,
    Alarm,
}

impl Style {
    pub(super) fn new(is_coloured: bool) -> Self {
        Self { is_coloured }
    }

    pub(super) fn paint<T: fmt::Display>(self, ink: Ink, text: T) -> Painted<T> {
        Painted { ink: self.is_coloured.then_some(ink), text }
    }
}

/// Text in its colour.
pub(super) struct Painted<T> {
    ink: Option<Ink>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.ink {
            None => return self.text.fmt(f),
            Some(Ink::Heading) => "1",
            Some(Ink::Name) => "36",
            Some(Ink::Quiet) => "2",
            Some(Ink::Alarm) => "31",
        };
        write!(f, "\x1b[{code}m")?;
        self.text.fmt(f)?;
        f.write_str("\x1b[0m")
    }
}

/// A size in bytes: `512 B`, `4.0 KiB`, `1.3 GiB`.
pub(super) struct Bytes(pub(super) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        // In tenths, rounded, as long as the number has four digits before the point.
        let mut tenths = u128::from(self.0).saturating_mul(10);
        let mut unit = "B";
        for larger in UNITS {
            tenths = tenths.saturating_add(512) / 1024;
            unit = larger;
            if tenths < 10_240 {
                break;
            }
        }
        write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

/// A number in groups of three digits: `9 980`.
pub(super) struct Count<N>(pub(super) N);

impl<N: fmt::Display> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            let is_start_of_group = digits.len().saturating_sub(at).is_multiple_of(3);
            if at > 0 && is_start_of_group {
                f.write_str(" ")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// A number and what it counts: `1 tensor`, `12 tensors`.
pub(super) fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", Count(count))
}

/// Text from a file as one line: control characters escaped, so that no name talks to the terminal, and cut
/// after `max` characters.
pub(super) fn printable(text: &str, max: usize) -> String {
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at >= max {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Characters that change the order or the look of what stands around them.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit_behind_the_point() {
        let shown: Vec<String> = [0, 1023, 1024, 1536, 1_048_575, 1 << 20, u64::MAX]
            .into_iter()
            .map(|size| Bytes(size).to_string())
            .collect();
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "1.0 MiB", "16.0 EiB"]);
    }

    #[test]
    fn counts_have_groups_of_three_digits() {
        let shown: Vec<String> = [0, 999, 9980, 1_234_567].map(|count| Count(count).to_string()).into();
        assert_eq!(shown, ["0", "999", "9 980", "1 234 567"]);
    }

    #[test]
    fn names_do_not_talk_to_the_terminal() {
        assert_eq!(printable("a\x1b[2Jb\nc", 80), "a\\u{1b}[2Jb\\nc");
        assert_eq!(printable("重み\u{202E}x", 80), "重み\\u{202e}x");
        assert_eq!(printable("abcdef", 3), "abc…");
    }
}
