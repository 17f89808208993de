#[hurray(transparent)]
struct Meters<T>(T, #[hurray(skip)] usize);
