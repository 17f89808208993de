//! The page on candle shows code that is compiled.

const PAGE: &str = include_str!("../../docs/candle.md");
const EXAMPLE: &str = include_str!("../../examples/candle_fields.rs");

#[test]
fn every_line_of_code_on_the_page_is_in_the_example() {
    let example: Vec<&str> = EXAMPLE.lines().map(str::trim).collect();
    let code = PAGE.split("```rust\n").skip(1).filter_map(|block| block.split("```").next());
    let lines: Vec<&str> = code.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 20, "{} lines", lines.len());
    for line in lines {
        assert!(example.contains(&line), "not in the example: {line}");
    }
}
