#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    static __F: [__p::Field; 2] = [__p::Field::new("rate"), __p::Field::new("steps")];
    #[automatically_derived]
    impl __p::HurraySave for Config {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            let mut __group = __p::save_metadata(__saver)?;
            __p::save_field::<f64>(&mut __group, &__F[0], &self.rate);
            __p::save_field::<u64>(&mut __group, &__F[1], &self.steps);
            __group.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    static __F: [__p::Field; 2] = [__p::Field::new("rate"), __p::Field::new("steps")];
    #[automatically_derived]
    impl<'hurray> __p::HurrayLoad<'hurray> for Config {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let mut __group = __p::load_metadata(__loader)?;
            let Self { rate: __default0, seen: __default2, .. } = <Self as __p::Default>::default();
            let __field0 = __p::load_field_or::<
                f64,
            >(&mut __group, &__F[0], || __default0);
            let __field1 = __p::load_field_or::<u64>(&mut __group, &__F[1], one);
            __p::close_group(__group);
            __p::taken!(__field0 __field1);
            __p::Ok(Self {
                rate: __field0,
                steps: __field1,
                seen: __default2,
            })
        }
        fn load_shared(
            __loader: __p::Loader<'_, 'hurray>,
        ) -> __p::Loaded<__p::Arc<Self>> {
            __p::load_shared(__loader)
        }
    }
};
