//! The load report as JSON, for tools: a few strings and numbers, so no library for it in a default build.

use std::fmt::{Display, Write};

use crate::model::{LoadReport, Problem};

/// A JSON document that grows.
struct Json(String);

impl Json {
    fn raw(&mut self, text: &str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    fn display(&mut self, value: impl Display) -> &mut Self {
        // Writing to a String does not fail.
        let _ = write!(self.0, "{value}");
        self
    }

    fn string(&mut self, text: &str) -> &mut Self {
        self.raw("\"");
        for character in text.chars() {
            match character {
                '"' => self.raw("\\\""),
                '\\' => self.raw("\\\\"),
                '\n' => self.raw("\\n"),
                control if u32::from(control) < 0x20 => {
                    self.display(format_args!("\\u{:04x}", u32::from(control)))
                }
                other => self.display(other),
            };
        }
        self.raw("\"")
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.raw("[");
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.raw(",");
            }
            write(self, item);
        }
        self.raw("]")
    }

    fn strings(&mut self, items: &[String]) -> &mut Self {
        self.list(items, |json, item| {
            json.string(item);
        })
    }

    fn problem(&mut self, problem: &Problem) {
        let Problem { kind, path, field, expected, found, near, is_tolerated } = problem;
        self.raw("{\"kind\":").string(kind.name());
        for (key, value) in [("path", path), ("field", field), ("expected", expected), ("found", found)] {
            self.raw(",").string(key).raw(":").string(value);
        }
        self.raw(",\"near\":").strings(near).raw(",\"is_tolerated\":").display(is_tolerated).raw("}");
    }
}

pub(super) fn to_json(report: &LoadReport) -> String {
    let mut json = Json(String::new());
    json.raw("{\"file\":");
    match report.file() {
        Some(file) => json.string(&file.to_string_lossy()),
        None => json.raw("null"),
    };
    json.raw(",\"counts\":{");
    for (position, (kind, count)) in report.counts.iter().enumerate() {
        json.raw(if position == 0 { "" } else { "," }).string(kind.name()).raw(":").display(count);
    }
    json.raw("},\"problems\":").list(report.problems(), Json::problem);
    json.raw(",\"defaulted\":").strings(report.defaulted());
    json.raw(",\"renamed\":").list(report.renamed(), |json, (old, new)| {
        json.raw("{\"file\":").string(old).raw(",\"model\":").string(new).raw("}");
    });
    json.raw(",\"cast\":").list(report.cast(), |json, (path, from, to)| {
        json.raw("{\"path\":").string(path).raw(",\"from\":").string(from.name());
        json.raw(",\"to\":").string(to.name()).raw("}");
    });
    json.raw(",\"unknown_metadata\":").strings(report.unknown_metadata()).raw("}");
    json.0
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn strings_are_escaped() {
        let mut json = Json(String::new());
        json.string("a\"b\\c\n\u{1}é");
        assert_eq!(json.0, r#""a\"b\\c\n\u0001é""#);
    }
}
