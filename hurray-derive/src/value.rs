//! The values of attributes: `name = "..", path = "a::b", shape = [..]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{ExprPath, Lifetime, LitInt, LitStr, Token, WherePredicate, bracketed, parenthesized, token};

use crate::suggest;

/// The deepest shape that the format knows.
const MAX_RANK: usize = 64;

/// The element types between which a load may convert.
const REAL_FLOATS: [&str; 11] = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float128",
    "float8_e4m3",
    "float8_e5m2",
    "float8_e8m0",
    "float4_e2m1",
    "float6_e2m3",
    "float6_e3m2",
];

/// `= "text"`
pub(crate) fn string(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    let literal: LitStr = input.parse()?;
    if literal.suffix().is_empty() {
        Ok(literal)
    } else {
        Err(syn::Error::new_spanned(&literal, format!("unexpected suffix `{}`", literal.suffix())))
    }
}

/// `= "name"`: a name in the file, perhaps a dotted path.
pub(crate) fn name(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal = string(input)?;
    let text = literal.value();
    if text.is_empty() {
        return Err(syn::Error::new_spanned(&literal, "a name in the file can't be empty"));
    }
    if text.split('.').any(str::is_empty) {
        let message = "a dotted name can't have an empty segment";
        return Err(syn::Error::new_spanned(&literal, message));
    }
    Ok(literal)
}

/// `= "a::b"` or `= a::b`: whatever parses from a string parses from bare tokens, too.
pub(crate) fn quoted<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    if input.peek(LitStr) { input.parse::<LitStr>()?.parse() } else { input.parse() }
}

/// `= "path::to::function"`
pub(crate) fn function(input: ParseStream<'_>) -> syn::Result<ExprPath> {
    input.parse::<Token![=]>()?;
    if !input.peek(LitStr) {
        return input.parse();
    }
    let literal: LitStr = input.parse()?;
    literal.parse().map_err(|_| {
        let message = format!("`{}` is not a path, such as `module::function`", literal.value());
        syn::Error::new_spanned(&literal, message)
    })
}

/// Takes what is left, so that an error before it is not followed by one about "unexpected" tokens.
pub(crate) fn drain(input: ParseStream<'_>) {
    while !input.is_empty() && input.parse::<proc_macro2::TokenTree>().is_ok() {}
}

/// `= 3`
pub(crate) fn integer(input: ParseStream<'_>) -> syn::Result<u32> {
    input.parse::<Token![=]>()?;
    input.parse::<LitInt>()?.base10_parse()
}

/// `= 3`, where zero means "before there were versions".
pub(crate) fn version(input: ParseStream<'_>) -> syn::Result<u32> {
    let fork = input.fork();
    match integer(input)? {
        0 => {
            fork.parse::<Token![=]>()?;
            let message = "versions count from 1: a file without a version has version 0";
            Err(syn::Error::new_spanned(fork.parse::<LitInt>()?, message))
        }
        version => Ok(version),
    }
}

/// `= 4096`: a power of two from 64 to 2 MiB.
pub(crate) fn alignment(input: ParseStream<'_>) -> syn::Result<u32> {
    input.parse::<Token![=]>()?;
    let literal: LitInt = input.parse()?;
    let alignment: u32 = literal.base10_parse()?;
    if alignment.is_power_of_two() && (64..=2 << 20).contains(&alignment) {
        Ok(alignment)
    } else {
        let message = "an alignment is a power of two from 64 to 2097152 bytes";
        Err(syn::Error::new_spanned(&literal, message))
    }
}

/// `= "bfloat16"`
pub(crate) fn element_type(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal = string(input)?;
    let text = literal.value();
    if REAL_FLOATS.contains(&text.as_str()) {
        return Ok(literal);
    }
    let message = match suggest::nearest(&text, REAL_FLOATS) {
        Some(near) => format!("`{text}` is not a real float type of the format; did you mean `{near}`?"),
        None => format!(
            "`{text}` is not a real float type of the format, and no others are converted; known are `{}`",
            REAL_FLOATS.join("`, `")
        ),
    };
    Err(syn::Error::new_spanned(&literal, message))
}

/// What `layout = ".."` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    RowMajor,
    Keep,
}

/// `= "row_major"` or `= "keep"`
pub(crate) fn layout(input: ParseStream<'_>) -> syn::Result<Layout> {
    let literal = string(input)?;
    match literal.value().as_str() {
        "row_major" => Ok(Layout::RowMajor),
        "keep" => Ok(Layout::Keep),
        _ => Err(syn::Error::new_spanned(&literal, "a layout is `row_major` or `keep`")),
    }
}

/// `partition(axis = 0, parts = 4)`: how a tensor is split.
pub(crate) struct Partition {
    pub(crate) axis: u32,
    /// None for a field that holds the part of one rank.
    pub(crate) parts: Option<u32>,
}

/// `(axis = 0, parts = 4)`
pub(crate) fn partition(input: ParseStream<'_>) -> syn::Result<Partition> {
    if !input.peek(token::Paren) {
        return Err(input.error("expected `partition(axis = 0, parts = 4)`"));
    }
    let list;
    let parenthesis = parenthesized!(list in input);
    let (axis, parts) = sides(&list).inspect_err(|_| drain(&list))?;
    let missing = || syn::Error::new(parenthesis.span.join(), "`partition` needs an `axis`, counted from 0");
    Ok(Partition { axis: axis.ok_or_else(missing)?, parts })
}

/// `axis = 0, parts = 4`
fn sides(list: ParseStream<'_>) -> syn::Result<(Option<u32>, Option<u32>)> {
    let (mut axis, mut parts) = (None, None);
    while !list.is_empty() {
        let side: Ident = list.parse()?;
        let (slot, allowed, message) = match side.to_string().as_str() {
            "axis" => (&mut axis, 0..=7, "an axis is a number from 0 to 7"),
            "parts" => (&mut parts, 1..=u32::MAX - 1, "there is at least one part"),
            _ => return Err(syn::Error::new_spanned(&side, "expected `axis` or `parts`")),
        };
        list.parse::<Token![=]>()?;
        let literal: LitInt = list.parse()?;
        let value: u32 = literal.base10_parse()?;
        if !allowed.contains(&value) {
            return Err(syn::Error::new_spanned(&literal, message));
        }
        if slot.replace(value).is_some() {
            return Err(syn::Error::new_spanned(&side, format!("duplicate `{side}` in `partition`")));
        }
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    Ok((axis, parts))
}

/// Where-predicates from a string: `"T: Element, U: Clone"`.
pub(crate) fn predicates(literal: &LitStr) -> syn::Result<Vec<WherePredicate>> {
    let parser = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
    Ok(literal.parse_with(parser)?.into_iter().collect())
}

/// `= "'a + 'b"`
pub(crate) fn lifetimes(input: ParseStream<'_>) -> syn::Result<Vec<Lifetime>> {
    let literal = string(input)?;
    let parser = Punctuated::<Lifetime, Token![+]>::parse_separated_nonempty;
    Ok(literal.parse_with(parser)?.into_iter().collect())
}

/// One dimension of a `shape = [..]`.
pub(crate) enum Dim {
    Fixed(u64),
    Name(Ident),
    Any,
    Rest(Token![..]),
}

impl Parse for Dim {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitInt) {
            let literal: LitInt = input.parse()?;
            let message = "a dimension has from 0 to 18446744073709551615 elements";
            let size = literal.base10_parse().map_err(|_| syn::Error::new_spanned(&literal, message))?;
            return Ok(Self::Fixed(size));
        }
        if input.peek(Token![..]) {
            return Ok(Self::Rest(input.parse()?));
        }
        if input.peek(Token![_]) {
            input.parse::<Token![_]>()?;
            return Ok(Self::Any);
        }
        if input.peek(syn::Ident) {
            return Ok(Self::Name(input.parse()?));
        }
        Err(input
            .error("a dimension is a number, a name, `_` for any size, or `..` for any further dimensions"))
    }
}

impl ToTokens for Dim {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Fixed(size) => {
                let size = proc_macro2::Literal::u64_unsuffixed(*size);
                quote!(__D::Fixed(#size))
            }
            Self::Name(name) => {
                let name = LitStr::new(&name.unraw().to_string(), Span::call_site());
                quote!(__D::Name(#name))
            }
            Self::Any => quote!(__D::Any),
            Self::Rest(_) => quote!(__D::Rest),
        });
    }
}

/// `= [4096, out_features, _, ..]`
pub(crate) fn shape(input: ParseStream<'_>) -> syn::Result<Vec<Dim>> {
    input.parse::<Token![=]>()?;
    if !input.peek(token::Bracket) {
        return Err(input.error("a shape is a list: `shape = [out_features, 4096, ..]`"));
    }
    let list;
    let bracket = bracketed!(list in input);
    let dims = Punctuated::<Dim, Token![,]>::parse_terminated(&list).inspect_err(|_| drain(&list))?;
    let dims: Vec<Dim> = dims.into_iter().collect();
    let mut rests = dims.iter().filter_map(|dim| match dim {
        Dim::Rest(rest) => Some(rest),
        _ => None,
    });
    if let Some(second) = rests.nth(1) {
        return Err(syn::Error::new_spanned(second, "`..` can appear only once in a shape"));
    }
    if dims.len() > MAX_RANK {
        let message = format!("a tensor has at most {MAX_RANK} dimensions");
        return Err(syn::Error::new(bracket.span.join(), message));
    }
    Ok(dims)
}
