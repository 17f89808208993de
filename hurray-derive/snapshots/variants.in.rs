enum Layer<'a> {
    Conv(Conv<'a>),
    Dense(#[hurray(shape = [_, 4])] TensorView<'a, f32>),
    #[hurray(rename = "bn", rename_all = "camelCase")]
    Norm { running_mean: TensorView<'a, f32>, #[hurray(skip)] seen: u32 },
    Pair(u32, u32),
    #[hurray(skip)]
    Fused(Box<dyn Fused>),
    Act,
}
