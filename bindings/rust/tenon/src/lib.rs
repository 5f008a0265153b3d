// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/lib.rs: Tenon for programs in Rust: all of it.
//! Tenon, a tensor and autodiff runtime, for programs in Rust: values and `Result`s over the
//! functions of its C API. The page `docs/rust.md` is its guide.
//!
//! ```
//! fn main() -> tenon::Result<()> {
//!     let x = tenon::tensor([[1.0, 2.0], [3.0, 4.0]])?.with_grad()?;
//!     let y = tenon::sum(&(&x * &x)?).call()?;
//!     y.backward()?;
//!     assert_eq!(x.grad()?.unwrap().to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0]);
//!     Ok(())
//! }
//! ```
//!
//! **Calls.** An op, layer or whatever else has options is a builder: what must be given is given
//! at once, the rest by its name, and [`call`](Softmax::call) runs it (`build` makes it). An op
//! without options is a function.
//!
//! ```
//! # fn main() -> tenon::Result<()> {
//! let x = tenon::randn([2, 3])?;
//! let rows = tenon::sum(&tenon::exp(&x)?).axes(1).keepdims(true).call()?;
//! assert_eq!(rows.shape()?, [2, 1]);
//! # Ok(())
//! # }
//! ```
//!
//! **Errors.** A call that fails has changed nothing and returns an [`Error`], the whole record of
//! the failure. Nothing here panics but what a panic of the program's own functions carries on.
//!
//! **Threads.** The calls of each thread use a context of its own, in one runtime that the process
//! shares. Tensors and what holds them stay in their thread, since a tensor may be written through
//! any of its handles; [`Frozen`] tensors go anywhere.
//!
//! ```compile_fail,E0277
//! let x = tenon::ones([2]).unwrap();
//! std::thread::spawn(move || x.item()); // `*mut tenon_tensor` cannot be sent between threads
//! ```

mod call;
mod context;
mod data_parallel;
mod datasets;
#[rustfmt::skip]
mod entries;
mod error;
mod files;
mod frozen;
mod gradients;
mod history;
mod host;
mod index;
mod layer;
mod make;
mod objects;
mod operators;
#[rustfmt::skip]
pub mod ops;
mod optimizer;
mod plan;
pub mod processes;
mod runtime;
mod schedule;
#[rustfmt::skip]
mod status;
mod tensor;
mod tokenizer;
mod values;

pub use call::{call, Op, Operand, Tensors};
pub use context::{
    enable_grad, guard_finite, inference, no_grad, profile, query, release_cache, scope, seed,
    seed_stream, serial, set_fast_arithmetic, set_threads, stats, Context, Interrupter,
};
pub use datasets::{Batch, Batches, Dataset, Field, Loader, LoaderBuilder, Pass, Transform};
pub use entries::*;
pub use error::{Error, Record, Result};
pub use files::{load, save, Archive, Checkpoint, Listed, Part};
pub use frozen::Frozen;
pub use gradients::{backward, draw, grad, value_and_grad, Backward, Grad, Hook, ValueAndGrad};
pub use history::{History, Progress};
pub use host::{Host, HostMut};
pub use index::{Ellipsis, Index, Keys, NewAxis, Slice};
pub use layer::{IntoInputs, Layer, NamedTensor};
pub use make::{Make, MakeAll};
pub use operators::{arange, ones, ones_like, rand, randn, tensor, zeros, zeros_like, Numbers};
pub use ops::*;
pub use optimizer::{clip_gradients, Group, IntoGroups, Optimizer};
pub use plan::{capture, Captured, Plan};
#[cfg(feature = "load")]
pub use runtime::open;
pub use runtime::{Runtime, RuntimeOptions};
pub use schedule::Schedule;
pub use status::Status;
pub use tenon_sys as sys;
pub use tensor::Tensor;
pub use tokenizer::{EncodeBatch, EncodeOptions, Tokenizer};
pub use values::{set_device, wait, Device, Dtype, Element, Ints, Number, Plain, Value};
