#[hurray(try_from = "Stored<T>", into = "Stored<T>")]
struct Checked<T> {
    inner: T,
}
