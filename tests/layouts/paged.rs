//! Block-paged (FORMAT §5.10): from sequences, and from components whose sequences share pages.

use hurray::descriptor::{BlockPaged as Fields, KvRole};
use hurray::{BlockPaged, BlockPagedView, Rule, TensorError};
use proptest::prelude::*;

use super::common::{One, Sample, compare, for_every_element, indices, through_a_file, values};

/// The pages of some sequences.
#[derive(Debug, Clone)]
pub(crate) struct Sequences {
    pub(crate) page_size: usize,
    pub(crate) num_pages: usize,
    /// Tokens of each.
    pub(crate) tokens: Vec<usize>,
    pub(crate) block_table: Vec<u64>,
    pub(crate) seq_ptr: Vec<u64>,
    pub(crate) wide: bool,
}

impl Sequences {
    pub(crate) fn fields(&self) -> Fields {
        Fields {
            page_size: self.page_size as u32,
            num_pages: self.num_pages as u64,
            paged_axis: 0,
            num_seqs: self.tokens.len() as u32,
            kv_role: KvRole::Value,
            layer_index: Some(3),
            wide_indices: self.wide,
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.tokens.iter().sum()
    }
}

/// Up to four sequences, pages in any order, some of them in several sequences and some in none.
pub(crate) fn sequences(page_sizes: &'static [usize]) -> impl Strategy<Value = Sequences> {
    let pages = prop::collection::vec(any::<u64>(), 40);
    (
        prop::sample::select(page_sizes),
        1usize..6,
        prop::collection::vec(0usize..9, 0..4),
        pages,
        any::<bool>(),
    )
        .prop_map(|(page_size, num_pages, tokens, mut pages, wide)| {
            let mut seq_ptr = vec![0u64];
            for tokens in &tokens {
                seq_ptr.push(seq_ptr.last().unwrap() + tokens.div_ceil(page_size) as u64);
            }
            pages.truncate(*seq_ptr.last().unwrap() as usize);
            let block_table = pages.iter().map(|page| page % num_pages as u64).collect();
            Sequences { page_size, num_pages, tokens, block_table, seq_ptr, wide }
        })
}

fn from_parts<T: Sample>(sequences: &Sequences, heads: usize, size: usize, seed: u64) {
    let per_page = sequences.page_size * heads * size;
    let count = (sequences.num_pages * per_page) as u64;
    let seeds: Vec<u64> = (0..count).map(|at| seed.rotate_left(at as u32 % 61) ^ at).collect();
    let pool = values::<T>(&seeds);
    let shape = [sequences.total(), heads, size];
    let made = BlockPaged::<T>::from_parts(
        shape,
        sequences.fields(),
        &sequences.block_table,
        &sequences.seq_ptr,
        &pool,
    );
    let mut source = Vec::new();
    for (s, tokens) in sequences.tokens.iter().enumerate() {
        for t in 0..*tokens {
            let page =
                sequences.block_table[sequences.seq_ptr[s] as usize + t / sequences.page_size] as usize;
            let start = page * per_page + t % sequences.page_size * heads * size;
            source.extend_from_slice(&pool[start..start + heads * size]);
        }
    }
    through_a_file(made.unwrap(), |file| {
        let One::<BlockPagedView<'_, T>> { tensor } = file.load().unwrap();
        let tensor = tensor.with_token_counts(&sequences.tokens).unwrap();
        let dense = tensor.to_dense().unwrap();
        compare::<T>(file, (&shape, &source), &sequences.tokens, |index| tensor.get(index).ok(), &dense);
        let mut rest = source.iter();
        for (s, tokens) in sequences.tokens.iter().enumerate() {
            for index in indices(&[*tokens, heads, size]) {
                let found = tensor.get_token(s, index[0], index[1], index[2]).unwrap();
                assert_eq!(T::key(found), T::key(*rest.next().unwrap()), "{s} {index:?}");
            }
            assert!(tensor.get_token(s, *tokens, 0, 0).is_err());
        }
        assert!(tensor.block_table().unwrap().iter().eq(sequences.block_table.iter().copied()));
        assert!(tensor.seq_ptr().unwrap().iter().eq(sequences.seq_ptr.iter().copied()));
        let One::<BlockPaged<T>> { tensor: twin } = file.load().unwrap();
        let twin = twin.with_token_counts(&sequences.tokens).unwrap();
        assert!(twin.view().to_dense().unwrap() == source);
    });
}

fn from_sequences<T: Sample>(tokens: &[usize], heads: usize, size: usize, page_size: u32, seed: u64) {
    let token = heads * size;
    let seeds: Vec<u64> =
        (0..(tokens.iter().sum::<usize>() * token) as u64).map(|at| seed ^ (at * 77)).collect();
    let source = values::<T>(&seeds);
    let (mut parts, mut rest) = (Vec::new(), source.as_slice());
    for tokens in tokens {
        let (part, after) = rest.split_at(tokens * token);
        parts.push(part);
        rest = after;
    }
    let made = BlockPaged::<T>::from_sequences(&parts, heads, size, page_size, KvRole::Key).unwrap();
    let shape = [tokens.iter().sum(), heads, size];
    through_a_file(made, |file| {
        let One::<BlockPagedView<'_, T>> { tensor } = file.load().unwrap();
        let tensor = tensor.with_token_counts(tokens).unwrap();
        let dense = tensor.to_dense().unwrap();
        compare::<T>(file, (&shape, &source), tokens, |index| tensor.get(index).ok(), &dense);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn pages_in_any_order(sequences in sequences(&[1, 2, 3, 4]), heads in 0usize..4, size in 0usize..4, seed in any::<u64>()) {
        for_every_element!(from_parts(&sequences, heads, size, seed));
    }

    #[test]
    fn pages_of_sequences(
        tokens in prop::collection::vec(0usize..9, 0..4), heads in 1usize..4, size in 1usize..4, page_size in 1u32..5, seed in any::<u64>(),
    ) {
        for_every_element!(from_sequences(&tokens, heads, size, page_size, seed));
    }
}

#[test]
fn components_that_do_not_fit_each_other_are_refused() {
    let fields = Sequences {
        page_size: 2,
        num_pages: 2,
        tokens: vec![3],
        block_table: vec![],
        seq_ptr: vec![],
        wide: false,
    }
    .fields();
    let make = |fields: Fields, table: &[u64], ptr: &[u64], pool: usize| {
        BlockPaged::<i32>::from_parts([3, 1, 1], fields, table, ptr, &vec![7; pool]).map(drop)
    };
    assert!(make(fields, &[1, 0], &[0, 2], 4).is_ok());
    let wrong_parts = [
        make(fields, &[1, 0], &[0, 2], 3),
        make(fields, &[1, 0], &[0], 4),
        make(fields, &[1, 0, 1], &[0, 2], 4),
        make(fields, &[1], &[0, 2], 4),
        make(fields, &[1 << 32, 0], &[0, 2], 4),
        make(Fields { num_pages: u64::MAX, page_size: u32::MAX, ..fields }, &[1, 0], &[0, 2], 4),
    ];
    for error in wrong_parts.map(Result::unwrap_err) {
        assert!(matches!(error, TensorError::Parts { .. }), "{error}");
    }
    let refused = |result: Result<(), TensorError>| match result.unwrap_err() {
        TensorError::Format(error) => error.rule(),
        other => panic!("{other}"),
    };
    assert_eq!(refused(make(Fields { page_size: 0, ..fields }, &[1, 0], &[0, 2], 0)), Rule::LayBp02);
    assert_eq!(refused(make(Fields { paged_axis: 1, ..fields }, &[1, 0], &[0, 2], 4)), Rule::LayBp03);
    assert_eq!(refused(make(fields, &[1, 0], &[1, 2], 4)), Rule::LayBp06);
    let two = Fields { num_seqs: 2, ..fields };
    assert_eq!(refused(make(two, &[1], &[0, 2, 1], 4)), Rule::LayBp07);
    assert_eq!(refused(make(fields, &[1, 2], &[0, 2], 4)), Rule::LayBp08);
    assert_eq!(refused(make(fields, &[1], &[0, 1], 4)), Rule::LayBp09);
}
