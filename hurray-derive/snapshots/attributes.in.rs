#[hurray(rename_all = "kebab-case", crate = my::hurray, validate = "check_all")]
#[hurray(version = 3, migrate = "bring_forward")]
struct Layer<T: ?Sized, B: Backend, const HEADS: usize> {
    #[hurray(rename = "self.query", alias = "q", alias = "q_proj", shape = [HEADS, out_features, 64, _, ..])]
    query: View<B::Float>,
    #[hurray(kv, validate = "is_positive")]
    out_features: Wrapping<u32>,
    #[hurray(default = "Scale::one", cast, element_type = "bfloat16")]
    scale: Scale<B>,
    #[hurray(since = 2, layout = "keep", align = 4096)]
    r#type: Tensor<f32>,
    #[hurray(tied = "embed.weight")]
    head: Arc<Tensor<f32>>,
    #[hurray(flatten)]
    inner: Inner<B>,
    #[hurray(with = "as_text")]
    device: Device<B>,
    #[hurray(kv, default)]
    note: String,
    #[hurray(skip)]
    cache: Cache<B>,
    #[hurray(skip_saving, default = "scratch")]
    scratch: Vec<u8>,
    marker: PhantomData<fn() -> T>,
}
