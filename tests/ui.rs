//! What the compiler says to users: the cases of `ui/`, each with the output that it has to give.
//!
//! Bless with `TRYBUILD=overwrite cargo test -p hurray-tests --test ui`, then read the difference: an error has
//! to point at the offending token, and no second wave of errors may follow.

use std::process::Command;

/// The expected output belongs to one compiler. A quiet skip elsewhere would look like a pass.
fn check_compiler() {
    let toolchain = include_str!("../rust-toolchain.toml");
    let pinned = toolchain.split('"').nth(1).expect("`channel` comes first");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("a compiler");
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        version.split(' ').nth(1),
        Some(pinned),
        "the ui tests belong to the compiler of `rust-toolchain.toml`"
    );
}

#[test]
fn derives_that_must_compile_and_errors_that_must_point() {
    check_compiler();
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/attribute/*.rs");
    cases.compile_fail("ui/bound/*.rs");
    cases.compile_fail("ui/conflict/*.rs");
    cases.compile_fail("ui/enum/*.rs");
    cases.compile_fail("ui/field/*.rs");
    cases.compile_fail("ui/lifetime/*.rs");
    cases.compile_fail("ui/partition/*.rs");
    cases.compile_fail("ui/shape/*.rs");
    cases.compile_fail("ui/unsupported/*.rs");
}
