use std::collections::BTreeMap;

use hurray::{File, HurrayLoad, HurraySave, Overlay, Partition, Tensor};

use crate::random::Random;

/// A model of any depth, with everything that can be in one at every level.
#[derive(HurraySave, HurrayLoad, Default)]
struct Node {
    w: Option<Vec<i32>>,
    split: Option<Partition<i32>>,
    corrected: Option<Overlay<i32>>,
    #[hurray(partition(axis = 0, parts = 3))]
    rows: Option<Tensor<i32>>,
    steps: Option<u32>,
    next: Option<Box<Node>>,
    list: Vec<Node>,
    map: BTreeMap<String, Node>,
}

/// What is in it, in an order of its own.
fn contents(node: &Node, path: &str, all: &mut Vec<(String, Vec<i32>)>) {
    let mut put = |name: &str, values: Vec<i32>| all.push((format!("{path}/{name}"), values));
    node.w.iter().for_each(|w| put("w", w.clone()));
    node.split.iter().for_each(|split| {
        put("split", split.view().to_dense().unwrap());
        put("split parts", vec![i32::try_from(split.part_count()).unwrap()]);
    });
    node.corrected.iter().for_each(|overlay| put("corrected", overlay.view().to_dense().unwrap()));
    node.rows.iter().for_each(|rows| put("rows", rows.to_vec()));
    node.steps.iter().for_each(|steps| put("steps", vec![i32::try_from(*steps).unwrap()]));
    put("lengths", vec![i32::try_from(node.list.len()).unwrap(), i32::try_from(node.map.len()).unwrap()]);
    node.next.iter().for_each(|next| contents(next, &format!("{path}/next"), all));
    node.list.iter().enumerate().for_each(|(at, node)| contents(node, &format!("{path}/list {at}"), all));
    node.map.iter().for_each(|(key, node)| contents(node, &format!("{path}/map {key}"), all));
}

fn of(node: &Node) -> Vec<(String, Vec<i32>)> {
    let mut all = Vec::new();
    contents(node, "", &mut all);
    all
}

fn grow(random: &mut Random, depth: usize) -> Node {
    let mut node = Node::default();
    let tensor = Tensor::from_vec(random.values(6), &[6]).unwrap();
    if random.below(2) == 0 {
        node.w = Some(random.values(3));
    }
    if random.below(3) == 0 || depth == 0 {
        node.split = Some(Partition::split(&tensor, 0, 1 + random.below(4)).unwrap());
    }
    if random.below(4) == 0 {
        let base = Overlay::new(tensor.clone());
        node.corrected =
            Some(base.add(&[random.below(6)], Tensor::from_vec(vec![7], &[1]).unwrap()).unwrap());
    }
    if random.below(4) == 0 {
        node.rows = Some(tensor);
    }
    if random.below(3) == 0 {
        node.steps = Some(u32::try_from(depth).unwrap());
    }
    if depth == 0 {
        return node;
    }
    // One way goes all the way down, the others end sooner.
    match random.below(3) {
        0 => node.next = Some(Box::new(grow(random, depth - 1))),
        1 => {
            node.list = (0..random.below(3)).map(|_| grow(random, 0)).collect();
            node.list.push(grow(random, depth.saturating_sub(2)));
        }
        _ => {
            node.map = (0..random.below(2)).map(|at| (format!("k.{at}"), grow(random, 0))).collect();
            node.map.insert("deep %".to_owned(), grow(random, depth.saturating_sub(2)));
        }
    }
    node
}

#[test]
fn random_models_are_the_same_after_saving_and_loading_at_every_depth() {
    for depth in 1..=14 {
        for seed in 0..12 {
            let model = grow(&mut Random::new(seed * 100 + u64::try_from(depth).unwrap()), depth);
            let bytes = hurray::to_bytes(&model).unwrap();
            let file = File::from_vec(bytes.clone()).unwrap();
            assert_eq!(file.validate_structure(), [], "depth {depth}, seed {seed}");
            let loaded: Node =
                file.load().unwrap_or_else(|error| panic!("depth {depth}, seed {seed}: {error}"));
            assert_eq!(of(&loaded), of(&model), "depth {depth}, seed {seed}");
            assert_eq!(hurray::to_bytes(&loaded).unwrap(), bytes, "depth {depth}, seed {seed}");
        }
    }
}

/// `.next` again and again, a partition at the end.
fn chain(depth: usize) -> Node {
    let mut node = Node { split: Some(partition()), w: Some(vec![1]), ..Node::default() };
    for _ in 0..depth {
        node = Node { next: Some(Box::new(node)), w: Some(vec![2]), ..Node::default() };
    }
    node
}

fn partition() -> Partition<i32> {
    Partition::split(&Tensor::from_vec(vec![1, 2, 3], &[3]).unwrap(), 0, 3).unwrap()
}

#[test]
fn the_nearest_group_gives_way_to_a_partition_at_level_9() {
    // Groups `next`, `next.next`, ...: 8 of them fill the path, so that the innermost has no head.
    for (depth, has_head) in [(7, true), (8, false), (12, false)] {
        let file = File::from_vec(hurray::to_bytes(&chain(depth)).unwrap()).unwrap();
        let path = |steps: usize| vec!["next"; steps].join(".");
        assert!(file.partition::<i32>(&format!("{}.split", path(depth))).is_ok());
        assert_eq!(file.tensor(&path(depth.min(8))).is_ok(), has_head, "depth {depth}");
        assert!(file.tensor(&path(7)).is_ok());
        let loaded: Node = file.load().unwrap();
        assert_eq!(of(&loaded), of(&chain(depth)));
    }
}

#[test]
fn a_group_that_gave_way_leaves_room_for_those_after_it() {
    #[derive(HurraySave, HurrayLoad)]
    struct Last {
        split: Partition<i32>,
        after: Vec<Leaf>,
    }
    #[derive(HurraySave, HurrayLoad, PartialEq, Debug)]
    struct Leaf {
        w: Vec<i32>,
    }
    macro_rules! around {
        ($($outer:ident $inner:ident)*) => {$(
            #[derive(HurraySave, HurrayLoad)]
            struct $outer {
                a: $inner,
                b: Vec<i32>,
            }
        )*};
    }
    around! { H Last G H F G E F D E C D B C A B }
    let last = Last { split: partition(), after: vec![Leaf { w: vec![1] }, Leaf { w: vec![2] }] };
    let b = || vec![9];
    let model = A {
        a: B {
            a: C {
                a: D { a: E { a: F { a: G { a: H { a: last, b: b() }, b: b() }, b: b() }, b: b() }, b: b() },
                b: b(),
            },
            b: b(),
        },
        b: b(),
    };
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    assert_eq!(file.validate_structure(), []);
    let innermost = ["a"; 8].join(".");
    assert!(file.tensor(&innermost).is_err(), "gave way");
    // The list after it lies at the 8th level now, and has a head.
    assert!(file.tensor(&format!("{innermost}.after")).is_ok());
    let loaded: A = file.load().unwrap();
    assert_eq!(loaded.a.a.a.a.a.a.a.a.after, [Leaf { w: vec![1] }, Leaf { w: vec![2] }]);
    assert_eq!(loaded.a.a.a.a.a.a.a.a.split.view().to_dense().unwrap(), [1, 2, 3]);
    assert_eq!((loaded.b, loaded.a.a.a.a.a.a.a.b), (vec![9], vec![9]));
}

#[test]
fn empty_lists_and_maps_below_the_last_level_are_there() {
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct Deep {
        next: Option<Box<Deep>>,
        list: Option<Vec<Leaf>>,
        map: Option<BTreeMap<String, Leaf>>,
    }
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct Leaf {
        w: Vec<i32>,
    }
    let mut model = Deep { next: None, list: Some(Vec::new()), map: Some(BTreeMap::new()) };
    for _ in 0..10 {
        model = Deep { next: Some(Box::new(model)), list: None, map: None };
    }
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    let mut loaded: Deep = file.load().unwrap();
    while let Some(next) = loaded.next {
        loaded = *next;
    }
    assert!(loaded.list.is_some_and(|list| list.is_empty()) && loaded.map.is_some_and(|map| map.is_empty()));
}

mod diffusion {
    use super::*;
    use hurray::TensorView;

    #[derive(HurraySave, HurrayLoad, Default)]
    struct Checkpoint<'a> {
        model: Model<'a>,
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Model<'a> {
        diffusion_model: Unet<'a>,
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Unet<'a> {
        input_blocks: Vec<Vec<Layer<'a>>>,
    }
    #[derive(HurraySave, HurrayLoad)]
    #[hurray(rename_all = "snake_case")]
    enum Layer<'a> {
        Conv(Linear<'a>),
        Transformer(Transformer<'a>),
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Transformer<'a> {
        transformer_blocks: Vec<Block<'a>>,
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Block<'a> {
        attn1: Attention<'a>,
        attn2: Attention<'a>,
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Attention<'a> {
        to_q: Linear<'a>,
        to_out: (Linear<'a>,),
    }
    #[derive(HurraySave, HurrayLoad, Default)]
    struct Linear<'a> {
        weight: Option<TensorView<'a, f32>>,
    }

    #[test]
    fn a_model_of_nine_levels_comes_back_and_is_found_by_name() {
        let data = [1.0_f32, 2.0, 3.0, 4.0];
        let linear = |at: usize| Linear { weight: Some(TensorView::from_slice(&data[..at], &[at]).unwrap()) };
        let attention = |at| Attention { to_q: linear(at), to_out: (linear(at + 1),) };
        let block = Block { attn1: attention(1), attn2: attention(3) };
        let transformer = || Layer::Transformer(Transformer { transformer_blocks: Vec::new() });
        let mut blocks = vec![vec![Layer::Conv(linear(1))], vec![transformer()]];
        blocks.push(vec![
            Layer::Conv(linear(2)),
            Layer::Transformer(Transformer { transformer_blocks: vec![block] }),
        ]);
        let unet = Unet { input_blocks: blocks };
        let checkpoint = Checkpoint { model: Model { diffusion_model: unet } };

        let file = File::from_vec(hurray::to_bytes(&checkpoint).unwrap()).unwrap();
        assert_eq!(file.validate_structure(), []);
        let name = "model.diffusion_model.input_blocks.2.1.transformer_blocks.0.attn2.to_q.weight";
        assert_eq!(file.tensor(name).unwrap().view::<f32>().unwrap().as_slice(), Some(&data[..3]));

        let loaded: Checkpoint<'_> = file.load().unwrap();
        let blocks = &loaded.model.diffusion_model.input_blocks;
        assert_eq!(blocks.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2]);
        let Layer::Transformer(transformer) = &blocks[2][1] else { panic!("a transformer") };
        let [block] = transformer.transformer_blocks.as_slice() else { panic!("one block") };
        let values = |linear: &Linear<'_>| linear.weight.unwrap().to_vec();
        assert_eq!(values(&block.attn2.to_q), data[..3]);
        assert_eq!(values(&block.attn2.to_out.0), data[..4]);
        assert_eq!(values(&block.attn1.to_q), data[..1]);
        assert_eq!(hurray::to_bytes(&loaded).unwrap(), hurray::to_bytes(&checkpoint).unwrap());
    }
}
