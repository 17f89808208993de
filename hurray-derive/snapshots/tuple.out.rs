#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 3] = [
        __p::Field::new("0").shape(&[__D::Fixed(3)]),
        __p::Field::new("1"),
        __p::Field::new("2"),
    ];
    #[automatically_derived]
    impl<'a, 'b: 'a, T> __p::HurraySave for Pair<'a, 'b, T>
    where
        &'a [T]: __p::HurraySave,
    {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            let mut __group = __p::save_group(__saver)?;
            __p::save_field::<&'a [T]>(&mut __group, &__F[0], &self.0);
            __p::save_field::<&'b str>(&mut __group, &__F[1], &self.1);
            __p::save_field::<
                Option<Box<Pair<'a, 'b, T>>>,
            >(&mut __group, &__F[2], &self.2);
            __group.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 3] = [
        __p::Field::new("0").shape(&[__D::Fixed(3)]),
        __p::Field::new("1"),
        __p::Field::new("2"),
    ];
    #[automatically_derived]
    impl<'hurray: 'a + 'b, 'a, 'b: 'a, T> __p::HurrayLoad<'hurray> for Pair<'a, 'b, T>
    where
        &'a [T]: __p::HurrayLoad<'hurray>,
    {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let mut __group = __p::load_group(__loader)?;
            let __field0 = __p::load_field::<&'a [T]>(&mut __group, &__F[0]);
            let __field1 = __p::load_field::<&'b str>(&mut __group, &__F[1]);
            let __field2 = __p::load_field::<
                Option<Box<Pair<'a, 'b, T>>>,
            >(&mut __group, &__F[2]);
            __p::close_group(__group);
            __p::taken!(__field0 __field1 __field2);
            __p::Ok(Self {
                0: __field0,
                1: __field1,
                2: __field2,
            })
        }
    }
};
