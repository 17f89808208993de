//! What the derives print, for each `snapshots/*.in.rs`: formatted, and compared with the `.out.rs` beside it.
//!
//! `HURRAY_BLESS=1 cargo test -p hurray-derive` writes the files; the diff is then read, as source is.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::ast::Direction;
use crate::expand;

/// Both derives on an input.
pub(crate) fn derive_both(source: &str) -> TokenStream {
    let input: DeriveInput = syn::parse_str(source).expect("the input parses");
    let (save, load) = (expand::derive(&input, Direction::Save), expand::derive(&input, Direction::Load));
    quote!(#save #load)
}

/// Formats items as `rustfmt` would on an 89-column page.
fn formatted(items: TokenStream) -> String {
    let file = syn::parse2(items).expect("the expansion is a list of items");
    prettyplease::unparse(&file)
}

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let entries = fs::read_dir(folder).expect("the folder of snapshots can be read");
    let mut inputs: Vec<_> = entries
        .map(|entry| entry.expect("its entries, too").path())
        .filter(|path| path.to_string_lossy().ends_with(".in.rs"))
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn expansions_are_as_committed() {
    let bless = env::var_os("HURRAY_BLESS").is_some();
    let inputs = inputs();
    assert!(!inputs.is_empty());
    for input in inputs {
        let printed = formatted(derive_both(&fs::read_to_string(&input).expect("an input can be read")));
        assert!(!printed.contains("compile_error"), "{}: {printed}", input.display());
        let snapshot = PathBuf::from(input.to_string_lossy().replace(".in.rs", ".out.rs"));
        if bless {
            fs::write(&snapshot, &printed).expect("a snapshot can be written");
        }
        let committed = fs::read_to_string(&snapshot).unwrap_or_default();
        assert!(printed == committed, "{} differs, now it is:\n{printed}", snapshot.display());
    }
}

#[test]
fn five_fields_take_at_most_sixty_lines() {
    let source = include_str!("../snapshots/five_fields.in.rs");
    let lines = formatted(derive_both(source)).lines().count();
    assert!(lines <= 60, "{lines} lines");
}

#[test]
fn errors_are_collected_and_leave_a_stub() {
    let source = r#"
        #[hurray(version = 0)]
        struct Model<'a, T = f32> {
            #[hurray(colour, rename = "a..b")]
            weight: TensorView<'a, T>,
            #[hurray(skip, kv)]
            bias: u32,
        }
    "#;
    let input: DeriveInput = syn::parse_str(source).expect("the input parses");
    let printed = formatted(expand::derive(&input, Direction::Load));
    assert_eq!(printed.matches("compile_error!").count(), 4, "{printed}");
    assert!(
        printed.contains("impl<'__hurray: 'a, 'a, T> __p::HurrayLoad<'__hurray> for Model<'a, T>"),
        "{printed}"
    );
}
