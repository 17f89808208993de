//! Bounds on what a file or a model may make the library do.

/// Bounds that a caller can set. The defaults let every real model through.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many levels a model may nest, in loading and saving alike. Default 128.
    pub nesting: usize,
    /// How many composite heads may lie on one path of a file (FORMAT §7.2). Default 8; permissive readers may go up to 64.
    pub composite_depth: usize,
    /// How many problems a load report keeps with their details; all are counted. Default 1000.
    pub problems: usize,
    /// How many bytes one materialised result may take (`to_dense`, `dequantize`), and a copy of what strides of 0
    /// make of fewer bytes. Default 16 GiB.
    pub dense_bytes: u64,
    /// How many elements a sequence may have whose elements hold no tensor, since nothing else in the
    /// file bounds them. Default 2^24.
    pub sequence: u64,
    /// How many ties (second names of what is stored once) one load follows. Default 2^16; as many as the file
    /// has are always followed, so the limit is about ties inside of what is tied, which multiply. A save refuses
    /// what a load would refuse, as far as it knows what the load makes anew: of an `Rc` it does, of an `Arc` the
    /// type that is loaded decides.
    pub ties: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nesting: 128,
            composite_depth: 8,
            problems: 1000,
            dense_bytes: 1 << 34,
            sequence: 1 << 24,
            ties: 1 << 16,
        }
    }
}
