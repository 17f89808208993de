//! A crate that knows the library as `weights` only: the derives go where `crate = ..` says.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use weights::{HurrayLoad, HurraySave, Tensor, TensorView};

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = weights)]
    struct Linear<'a, T, const N: usize> {
        #[hurray(shape = [rows, N])]
        weight: TensorView<'a, f32>,
        #[hurray(default)]
        rows: u32,
        inner: Option<T>,
        #[hurray(skip)]
        seen: u32,
    }

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = "::weights")]
    enum Kind {
        Relu,
        Silu,
    }

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = weights, metadata)]
    struct Config {
        kind: Kind,
        other: Kind,
    }

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = weights)]
    struct Pair(BTreeMap<String, Tensor<i8>>, Config);

    #[test]
    fn models_come_back() {
        let tensor = Tensor::from_vec(vec![1, 2], &[2]).unwrap();
        let config = Config { kind: Kind::Relu, other: Kind::Silu };
        let model = Linear::<Pair, 3> {
            weight: TensorView::from_slice(&[0.5; 6], &[2, 3]).unwrap(),
            rows: 2,
            inner: Some(Pair(BTreeMap::from([("a.b".into(), tensor)]), config)),
            seen: 0,
        };
        let file = weights::File::from_vec(weights::to_bytes(&model).unwrap()).unwrap();
        assert_eq!(file.load::<Linear<'_, Pair, 3>>().unwrap(), model);
    }
}
