#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 1] = [
        __p::Field::new("whole").shape(&[__D::Name("rows"), __D::Fixed(64)]).parts(0, 4),
    ];
    #[automatically_derived]
    impl<'a, T> __p::HurraySave for Sharded<'a, T>
    where
        Tensor<T>: __p::SaveParts,
    {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            let mut __group = __p::save_group(__saver)?;
            __p::save_parts::<Tensor<T>>(&mut __group, &__F[0], &self.whole);
            __group.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 2] = [
        __p::Field::new("whole").shape(&[__D::Name("rows"), __D::Fixed(64)]).parts(0, 4),
        __p::Field::new("part").part(1),
    ];
    #[automatically_derived]
    impl<'hurray: 'a, 'a, T> __p::HurrayLoad<'hurray> for Sharded<'a, T>
    where
        Tensor<T>: __p::LoadWhole<'hurray>,
        TensorView<'a, T>: __p::HurrayLoad<'hurray>,
    {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let mut __group = __p::load_group(__loader)?;
            __p::holds_whole::<Tensor<T>>(&__group);
            let __field0 = __p::load_field::<Tensor<T>>(&mut __group, &__F[0]);
            let __field1 = __p::load_field::<TensorView<'a, T>>(&mut __group, &__F[1]);
            __p::close_group(__group);
            __p::taken!(__field0 __field1);
            __p::Ok(Self {
                whole: __field0,
                part: __field1,
            })
        }
    }
};
