// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/src/lib.rs: the C API as it is: every function of libtenon by its name.
//! The C API of Tenon, a tensor and autodiff runtime, as the headers `tenon/*.h` declare it: their
//! comments say what each function does. The crate `tenon` is what programs use.
//!
//! The functions are linked, or, with the feature `load`, those of a library that `open` opens when
//! the program runs.
#![allow(non_camel_case_types)]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::type_complexity
)]

#[cfg(not(feature = "load"))]
#[macro_use]
mod link;
#[cfg(feature = "load")]
#[macro_use]
mod open;
#[cfg(feature = "load")]
pub use open::open;

#[rustfmt::skip]
mod functions;
#[rustfmt::skip]
mod layout;
#[rustfmt::skip]
mod raw;

pub use functions::*;
pub use raw::*;
