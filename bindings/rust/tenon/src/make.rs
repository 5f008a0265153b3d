// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/make.rs: what may be given made or as what builds it: layers, transforms.

use crate::error::Result;

/// A thing itself, or a builder of it.
pub trait Make<T> {
    fn make(self) -> Result<T>;
}

/// Several, which are made in order: an array, a vector, or a tuple of builders and things.
pub trait MakeAll<T> {
    fn make_all(self) -> Result<Vec<T>>;
}

impl<T, M: Make<T>> MakeAll<T> for Vec<M> {
    fn make_all(self) -> Result<Vec<T>> {
        self.into_iter().map(M::make).collect()
    }
}
impl<T, M: Make<T>, const N: usize> MakeAll<T> for [M; N] {
    fn make_all(self) -> Result<Vec<T>> {
        self.into_iter().map(M::make).collect()
    }
}
macro_rules! tuples {
    ($(($($part:ident)*))*) => { $(
        impl<T, $($part: Make<T>),*> MakeAll<T> for ($($part,)*) {
            #[allow(non_snake_case)]
            fn make_all(self) -> Result<Vec<T>> {
                let ($($part,)*) = self;
                Ok(vec![$($part.make()?),*])
            }
        }
    )* };
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
tuples! { (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) }
tuples! { (A B C D E F G H I J K L) }
