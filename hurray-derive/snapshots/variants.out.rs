#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 4] = [
        __p::Field::new("0").shape(&[__D::Any, __D::Fixed(4)]),
        __p::Field::new("runningMean").rust("running_mean"),
        __p::Field::new("0"),
        __p::Field::new("1"),
    ];
    #[automatically_derived]
    impl<'a> __p::HurraySave for Layer<'a> {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            match self {
                Self::Conv { 0: __field0 } => {
                    __p::save_newtype_variant::<Conv<'a>>(__saver, "Conv", __field0)
                }
                Self::Dense { 0: __field0 } => {
                    __p::save_newtype_variant_as::<
                        TensorView<'a, f32>,
                    >(__saver, "Dense", &__F[0], __field0)
                }
                Self::Norm { running_mean: __field0, .. } => {
                    let mut __group = __p::save_variant(__saver, "bn")?;
                    __p::save_field::<
                        TensorView<'a, f32>,
                    >(&mut __group, &__F[1], __field0);
                    __group.finish()
                }
                Self::Pair { 0: __field0, 1: __field1 } => {
                    let mut __group = __p::save_variant(__saver, "Pair")?;
                    __p::save_field::<u32>(&mut __group, &__F[2], __field0);
                    __p::save_field::<u32>(&mut __group, &__F[3], __field1);
                    __group.finish()
                }
                Self::Fused { .. } => __p::save_skipped_variant(__saver, "Fused"),
                Self::Act { .. } => __p::save_unit_variant(__saver, "Act"),
            }
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    use __p::Dim as __D;
    static __F: [__p::Field; 4] = [
        __p::Field::new("0").shape(&[__D::Any, __D::Fixed(4)]),
        __p::Field::new("runningMean").rust("running_mean"),
        __p::Field::new("0"),
        __p::Field::new("1"),
    ];
    static __V: [__p::Variant; 5] = [
        __p::Variant::new("Conv"),
        __p::Variant::new("Dense"),
        __p::Variant::new("bn"),
        __p::Variant::new("Pair"),
        __p::Variant::new("Act"),
    ];
    #[automatically_derived]
    impl<'hurray: 'a, 'a> __p::HurrayLoad<'hurray> for Layer<'a> {
        fn load(mut __loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            match __p::load_variant(&mut __loader, &__V)? {
                0 => {
                    __p::Ok(Self::Conv {
                        0: __p::load_newtype_variant::<Conv<'a>>(__loader)?,
                    })
                }
                1 => {
                    __p::Ok(Self::Dense {
                        0: __p::load_newtype_variant_as::<
                            TensorView<'a, f32>,
                        >(__loader, &__F[0])?,
                    })
                }
                2 => {
                    let mut __group = __p::load_group(__loader)?;
                    let __field0 = __p::load_field::<
                        TensorView<'a, f32>,
                    >(&mut __group, &__F[1]);
                    __p::close_group(__group);
                    __p::taken!(__field0);
                    __p::Ok(Self::Norm {
                        running_mean: __field0,
                        seen: <u32 as __p::Default>::default(),
                    })
                }
                3 => {
                    let mut __group = __p::load_group(__loader)?;
                    let __field0 = __p::load_field::<u32>(&mut __group, &__F[2]);
                    let __field1 = __p::load_field::<u32>(&mut __group, &__F[3]);
                    __p::close_group(__group);
                    __p::taken!(__field0 __field1);
                    __p::Ok(Self::Pair {
                        0: __field0,
                        1: __field1,
                    })
                }
                4 => __p::Ok(Self::Act {}),
                __other => __p::no_variant(__other),
            }
        }
    }
};
