//! The first example of the README: a model to a file and back, without a copy.

use hurray::{HurrayLoad, HurraySave, TensorView};

#[derive(HurraySave, HurrayLoad)]
struct Linear<'a> {
    #[hurray(shape = [out_features, in_features])]
    weight: TensorView<'a, f32>,
    #[hurray(shape = [out_features])]
    bias: Option<TensorView<'a, f32>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Mlp<'a> {
    name: &'a str,
    epochs: u32,
    layers: Vec<Linear<'a>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("quickstart.hrry");

    let (weights, bias) = ([0.5f32; 12], [1.0f32; 3]);
    let mlp = Mlp {
        name: "two layers",
        epochs: 40,
        layers: vec![
            Linear {
                weight: TensorView::from_slice(&weights, &[3, 4])?,
                bias: Some(TensorView::from_slice(&bias, &[3])?),
            },
            Linear { weight: TensorView::from_slice(&weights[..6], &[2, 3])?, bias: None },
        ],
    };
    println!("saved  {}", hurray::save(&path, &mlp)?);

    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { hurray::File::map(&path)? };
    let loaded: Mlp<'_> = file.load()?;
    println!("loaded {:?} after {} epochs:", loaded.name, loaded.epochs);
    for (index, layer) in loaded.layers.iter().enumerate() {
        println!("  layer {index}: weight {:?}, bias {:?}", layer.weight.shape(), layer.bias);
    }
    assert_eq!(loaded.layers[0].weight.as_slice(), Some(&weights[..]));
    Ok(())
}
