//! What the compiler says of fields that can't be what `partition(..)` asks for.

#[test]
fn errors_of_partition_point_at_the_field() {
    trybuild::TestCases::new().compile_fail("ui/partition/*.rs");
}
