//! The pages of the documentation: their code is compiled and run as it stands.

#[doc = include_str!("../docs/ndarray.md")]
pub mod ndarray {}

#[doc = include_str!("../docs/safetensors.md")]
pub mod safetensors {}

#[doc = include_str!("../README.md")]
pub mod readme {}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_example_of_the_readme_is_the_file() {
        let readme = include_str!("../README.md");
        let block = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```\n").next());
        assert_eq!(block, Some(include_str!("quickstart.rs")));
    }
}
