#!/usr/bin/env bash
# What the derives cost a compiler: 200 structs of 8 fields, both traits, beside serde's two derives on structs of the
# same shape, interleaved in one run. Prints user+system seconds of `cargo check` and of a release build of a binary
# that uses every struct (minimum of three, dependencies built before), the binary's size, and the expanded lines of a
# struct. Needs nothing but the toolchain; the crates that it makes lie in target/compile-cost.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/target/compile-cost
structs=200
mkdir -p "$work"

fields_hurray() {
    cat <<'F'
    a: TensorView<'a, f32>,
    b: TensorView<'a, f32>,
    c: TensorView<'a, f32>,
    d: Option<TensorView<'a, f32>>,
    e: u32,
    f: f64,
    g: String,
    h: Vec<f32>,
F
}
fields_serde() {
    cat <<'F'
    a: View<'a>,
    b: View<'a>,
    c: View<'a>,
    d: Option<View<'a>>,
    e: u32,
    f: f64,
    g: String,
    h: Vec<f32>,
F
}

generate() { # name, dependencies, prelude, derives, fields, use of struct N
    local name=$1 dir=$work/$1
    mkdir -p "$dir/src"
    printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n%s\n' "$name" "$2" > "$dir/Cargo.toml"
    {
        printf '#![allow(dead_code)]\n%s\n' "$3"
        for n in $(seq $structs); do
            printf '%s\npub struct S%s<'"'"'a> {\n' "$4" "$n"
            "$5"
            printf '}\n'
        done
        printf 'fn main() {\n    let bytes: Vec<u8> = std::env::args().next().unwrap_or_default().into_bytes();\n'
        for n in $(seq $structs); do printf "    $6\n" "$n"; done
        printf '}\n'
    } > "$dir/src/main.rs"
}

generate cost-hurray "hurray = { path = \"$root/hurray\" }" 'use hurray::{HurrayLoad, HurraySave, TensorView};' \
    '#[derive(HurraySave, HurrayLoad)]' fields_hurray \
    'if let Ok(s) = hurray::from_slice::<S%s>(\&bytes) { println!("{}", hurray::to_bytes(\&s).map_or(0, |b| b.len())); }'
sed -i 's/\\&/\&/g' "$work/cost-hurray/src/main.rs"
generate cost-serde $'serde = { version = "1", features = ["derive"] }\npostcard = { version = "1", features = ["use-std"] }' \
    $'use serde::{Deserialize, Serialize};\n#[derive(Serialize, Deserialize, Clone)]\npub struct View<\'a> { shape: Vec<u64>, #[serde(borrow)] data: &\'a [u8] }' \
    '#[derive(Serialize, Deserialize)]' fields_serde \
    'if let Ok(s) = postcard::from_bytes::<S%s>(\&bytes) { println!("{}", postcard::to_stdvec(\&s).map_or(0, |b| b.len())); }'
sed -i 's/\\&/\&/g; s/^    \([abc]\): View/    #[serde(borrow)] \1: View/; s/^    d: Option<View/    #[serde(borrow)] d: Option<View/' "$work/cost-serde/src/main.rs"

export CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0
seconds() { # command...: user + system seconds
    local TIMEFORMAT='%U %S'
    { time "$@" > "$work/log" 2>&1; } 2> "$work/times" || { cat "$work/log"; exit 1; }
    awk '{ printf "%.2f\n", $1 + $2 }' "$work/times"
}

declare -A check build
for crate in cost-hurray cost-serde; do
    (cd "$work/$crate" && cargo check -q && cargo build -q --release)
done
for _ in 1 2 3; do
    for crate in cost-hurray cost-serde; do
        cd "$work/$crate"
        touch src/main.rs
        t=$(seconds cargo check -q)
        check[$crate]=$(printf '%s\n' "${check[$crate]:-9999}" "$t" | sort -g | head -1)
        touch src/main.rs
        t=$(seconds cargo build -q --release)
        build[$crate]=$(printf '%s\n' "${build[$crate]:-9999}" "$t" | sort -g | head -1)
    done
done
printf '### W6: %s structs of 8 fields, both traits\n\n' $structs
printf '| derive | `cargo check`, s | release build that uses all, s | binary, kB | expanded lines per struct |\n|---|---|---|---|---|\n'
declare -A lines
for crate in cost-hurray cost-serde; do
    cd "$work/$crate"
    all=$(RUSTC_BOOTSTRAP=1 cargo rustc -q --profile dev -- -Zunpretty=expanded 2>/dev/null | wc -l)
    lines[$crate]=$((all / structs))
    size=$(stat -c %s "$work/target/release/$crate")
    printf '| %s | %s | %s | %s | %s |\n' "${crate#cost-}" "${check[$crate]}" "${build[$crate]}" $((size / 1024)) "${lines[$crate]}"
done
awk -v a="${check[cost-hurray]}" -v b="${check[cost-serde]}" -v c="${build[cost-hurray]}" -v d="${build[cost-serde]}" -v l="${lines[cost-hurray]}" '
    function row(what, found, target, limit) {
        printf "| %s | %s | %s | %s | %s |\n", what, found, target, limit, \
            found <= target ? "met" : found <= limit ? "missed, within the limit" : "**past the limit**"
    }
    BEGIN {
        printf "\n| workload | found | target | must not exceed | |\n|---|---|---|---|---|\n"
        row("W6 `cargo check`, against serde", sprintf("%.2f", a / b), 0.35, 0.60)
        row("W6 expanded lines per struct", l, 120, 250)
        row("W6 release build, against serde", sprintf("%.2f", c / d), 0.75, 1.0)
    }'
