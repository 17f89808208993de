#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 5] = [
        __p::Field::new("heads"),
        __p::Field::new("query").shape(&[__D::Name("width"), __D::Name("width")]),
        __p::Field::new("key").shape(&[__D::Name("width"), __D::Name("width")]),
        __p::Field::new("value"),
        __p::Field::new("bias"),
    ];
    #[automatically_derived]
    impl<'a> __p::HurraySave for Attention<'a> {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            let mut __group = __p::save_group(__saver)?;
            __p::save_field::<u32>(&mut __group, &__F[0], &self.heads);
            __p::save_field::<TensorView<'a, f32>>(&mut __group, &__F[1], &self.query);
            __p::save_field::<TensorView<'a, f32>>(&mut __group, &__F[2], &self.key);
            __p::save_field::<TensorView<'a, f32>>(&mut __group, &__F[3], &self.value);
            __p::save_field::<
                Option<TensorView<'a, f32>>,
            >(&mut __group, &__F[4], &self.bias);
            __group.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 5] = [
        __p::Field::new("heads"),
        __p::Field::new("query").shape(&[__D::Name("width"), __D::Name("width")]),
        __p::Field::new("key").shape(&[__D::Name("width"), __D::Name("width")]),
        __p::Field::new("value"),
        __p::Field::new("bias"),
    ];
    #[automatically_derived]
    impl<'hurray: 'a, 'a> __p::HurrayLoad<'hurray> for Attention<'a> {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let mut __group = __p::load_group(__loader)?;
            let __field0 = __p::load_field::<u32>(&mut __group, &__F[0]);
            let __field1 = __p::load_field::<TensorView<'a, f32>>(&mut __group, &__F[1]);
            let __field2 = __p::load_field::<TensorView<'a, f32>>(&mut __group, &__F[2]);
            let __field3 = __p::load_field::<TensorView<'a, f32>>(&mut __group, &__F[3]);
            let __field4 = __p::load_field::<
                Option<TensorView<'a, f32>>,
            >(&mut __group, &__F[4]);
            __p::close_group(__group);
            __p::taken!(__field0 __field1 __field2 __field3 __field4);
            __p::Ok(Self {
                heads: __field0,
                query: __field1,
                key: __field2,
                value: __field3,
                bias: __field4,
            })
        }
    }
};
