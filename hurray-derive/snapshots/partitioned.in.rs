struct Sharded<'a, T> {
    #[hurray(partition(axis = 0, parts = 4), shape = [rows, 64])]
    whole: Tensor<T>,
    #[hurray(partition(axis = 1), skip_saving)]
    part: TensorView<'a, T>,
}
