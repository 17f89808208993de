struct Attention<'a> {
    heads: u32,
    #[hurray(shape = [width, width])]
    query: TensorView<'a, f32>,
    #[hurray(shape = [width, width])]
    key: TensorView<'a, f32>,
    value: TensorView<'a, f32>,
    bias: Option<TensorView<'a, f32>>,
}
