#[hurray(rename_all = "snake_case")]
enum Activation {
    Relu,
    #[hurray(alias = "swish", rename = "silu")]
    Silu,
    #[hurray(skip)]
    Custom,
}
