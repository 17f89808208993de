#[hurray(default, metadata)]
struct Config {
    rate: f64,
    #[hurray(default = "one")]
    steps: u64,
    #[hurray(skip)]
    seen: u64,
}
