#[allow(deprecated, unused_qualifications)]
const _: () = {
    use my::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 8] = [
        __p::Field::new("self.query")
            .rust("query")
            .shape(
                &[
                    __D::Name("HEADS"),
                    __D::Name("out_features"),
                    __D::Fixed(64),
                    __D::Any,
                    __D::Rest,
                ],
            )
            .aliases(&["q", "q_proj"]),
        __p::Field::new("out-features").rust("out_features"),
        __p::Field::new("scale").element_type("bfloat16"),
        __p::Field::new("type").layout_keep().align(4096),
        __p::Field::new("head").tied("embed.weight"),
        __p::Field::new("device"),
        __p::Field::new("note"),
        __p::Field::new("marker"),
    ];
    #[automatically_derived]
    impl<T: ?Sized, B: Backend, const HEADS: usize> __p::HurraySave
    for Layer<T, B, HEADS>
    where
        View<B::Float>: __p::HurraySave,
        Scale<B>: __p::HurraySave,
        Inner<B>: __p::HurraySave,
        PhantomData<fn() -> T>: __p::HurraySave,
    {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            let mut __group = __p::save_group(__saver)?;
            __p::save_version(&mut __group, 3);
            __p::bind_save::<usize>(&mut __group, "HEADS", &HEADS);
            __p::bind_save::<
                Wrapping<u32>,
            >(&mut __group, "out_features", &self.out_features);
            __p::save_field::<View<B::Float>>(&mut __group, &__F[0], &self.query);
            __p::save_kv::<Wrapping<u32>>(&mut __group, &__F[1], &self.out_features);
            __p::save_field::<Scale<B>>(&mut __group, &__F[2], &self.scale);
            __p::save_field::<Tensor<f32>>(&mut __group, &__F[3], &self.r#type);
            __p::save_field::<Arc<Tensor<f32>>>(&mut __group, &__F[4], &self.head);
            __p::save_flattened::<Inner<B>>(&mut __group, &__F[0..8], &self.inner);
            __p::save_field_with::<
                Device<B>,
            >(&mut __group, &__F[5], &self.device, as_text::save);
            __p::save_kv::<String>(&mut __group, &__F[6], &self.note);
            __p::save_field::<
                PhantomData<fn() -> T>,
            >(&mut __group, &__F[7], &self.marker);
            __group.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use my::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 9] = [
        __p::Field::new("self.query")
            .rust("query")
            .shape(
                &[
                    __D::Name("HEADS"),
                    __D::Name("out_features"),
                    __D::Fixed(64),
                    __D::Any,
                    __D::Rest,
                ],
            )
            .aliases(&["q", "q_proj"]),
        __p::Field::new("out-features").rust("out_features"),
        __p::Field::new("scale").element_type("bfloat16").cast(),
        __p::Field::new("type").since(2),
        __p::Field::new("head").tied("embed.weight"),
        __p::Field::new("device"),
        __p::Field::new("note"),
        __p::Field::new("scratch"),
        __p::Field::new("marker"),
    ];
    #[automatically_derived]
    impl<'hurray, T: ?Sized, B: Backend, const HEADS: usize> __p::HurrayLoad<'hurray>
    for Layer<T, B, HEADS>
    where
        View<B::Float>: __p::HurrayLoad<'hurray>,
        Scale<B>: __p::HurrayLoad<'hurray>,
        Inner<B>: __p::HurrayLoad<'hurray>,
        Cache<B>: __p::Default,
        PhantomData<fn() -> T>: __p::HurrayLoad<'hurray>,
    {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let mut __group = __p::load_group_versioned(__loader, 3, bring_forward)?;
            __p::bind_load::<usize>(&mut __group, "HEADS", &__p::Ok(HEADS));
            let __field1 = __p::load_kv::<Wrapping<u32>>(&mut __group, &__F[1]);
            __p::bind_load::<Wrapping<u32>>(&mut __group, "out_features", &__field1);
            let __field1 = __p::validate_field::<
                Wrapping<u32>,
                _,
            >(&mut __group, "out-features", __field1, is_positive);
            let __field0 = __p::load_field::<View<B::Float>>(&mut __group, &__F[0]);
            let __field2 = __p::load_field_or::<
                Scale<B>,
            >(&mut __group, &__F[2], Scale::one);
            let __field3 = __p::load_field_or::<
                Tensor<f32>,
            >(&mut __group, &__F[3], <Tensor<f32> as __p::Default>::default);
            let __field4 = __p::load_field::<Arc<Tensor<f32>>>(&mut __group, &__F[4]);
            let __field5 = __p::load_flattened::<Inner<B>>(&mut __group, &__F[0..9]);
            let __field6 = __p::load_field_with::<
                Device<B>,
            >(&mut __group, &__F[5], as_text::load);
            let __field7 = __p::load_kv_or::<
                String,
            >(&mut __group, &__F[6], <String as __p::Default>::default);
            let __field9 = __p::load_field_or::<Vec<u8>>(&mut __group, &__F[7], scratch);
            let __field10 = __p::load_field::<
                PhantomData<fn() -> T>,
            >(&mut __group, &__F[8]);
            __p::finish_validated(
                __group,
                || {
                    __p::taken!(
                        __field0 __field1 __field2 __field3 __field4 __field5 __field6
                        __field7 __field9 __field10
                    );
                    __p::Ok(Self {
                        query: __field0,
                        out_features: __field1,
                        scale: __field2,
                        r#type: __field3,
                        head: __field4,
                        inner: __field5,
                        device: __field6,
                        note: __field7,
                        cache: <Cache<B> as __p::Default>::default(),
                        scratch: __field9,
                        marker: __field10,
                    })
                },
                check_all,
            )
        }
    }
};
