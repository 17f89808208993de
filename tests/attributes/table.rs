//! The table of attributes: one row for each that there is, and for each row a test that there is.

use std::fs;
use std::path::Path;

const TABLE: &str = include_str!("../../hurray-derive/src/attributes.md");
/// Where the derives list the attributes that they know.
const KNOWN: &str = include_str!("../../hurray-derive/src/attr/names.rs");

/// The rows of each of the three tables, as cells.
fn tables() -> Vec<Vec<Vec<&'static str>>> {
    let mut tables: Vec<Vec<Vec<&str>>> = Vec::new();
    for line in TABLE.lines() {
        match line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            Some(row) if row.starts_with("attribute |") => tables.push(Vec::new()),
            Some(row) if !row.starts_with("---") => {
                tables.last_mut().expect("a header first").push(row.split(" | ").collect());
            }
            _ => {}
        }
    }
    tables
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names in a `const NAME: [..] = [".."];` of the derive.
fn known(name: &str) -> Vec<&'static str> {
    let (_, rest) = KNOWN.split_once(&format!("const {name}: ")).expect("the list is there");
    let (list, _) = rest.split_once("];").expect("the list ends");
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn every_attribute_has_a_row() {
    let tables = tables();
    assert_eq!(tables.len(), 3);
    for (rows, list) in tables.iter().zip(["CONTAINER", "VARIANT", "FIELD"]) {
        let in_rows = |name: &str| {
            let is_it = |quoted: &str| {
                let rest = quoted.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
            };
            rows.iter().any(|row| quoted(row[0]).any(is_it))
        };
        let names = known(list);
        assert!(!names.is_empty());
        for name in names {
            assert!(in_rows(name), "`{name}` of {list} has no row");
        }
    }
}

#[test]
fn every_row_names_a_test_that_there_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for row in tables().iter().flatten() {
        assert_eq!(row.len(), 4, "{row:?}");
        let mut functions = 0;
        for test in quoted(row[3]) {
            match test.rsplit_once("::") {
                Some((file, function)) => {
                    let path = folder.join(format!("{file}.rs"));
                    let source =
                        fs::read_to_string(&path).unwrap_or_else(|_| panic!("no file {}", path.display()));
                    let is_test = source.contains(&format!("#[test]\nfn {function}() {{"));
                    assert!(is_test, "{}: no test {function}", path.display());
                    functions += 1;
                }
                None => assert!(folder.join("..").join(test).exists(), "there is no {test}"),
            }
        }
        assert!(functions > 0, "no test function: {row:?}");
    }
}
