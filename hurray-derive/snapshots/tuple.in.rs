struct Pair<'a, 'b: 'a, T = f32>(#[hurray(shape = [3])] &'a [T], &'b str, Option<Box<Pair<'a, 'b, T>>>);
