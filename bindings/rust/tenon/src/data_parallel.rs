// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/data_parallel.rs: training steps that the processes of a group share.

use crate::call::Tensors;
use crate::context::state;
use crate::error::{Error, Result};
use crate::layer::Layer;
use crate::objects::Owned;
use crate::optimizer::Optimizer;
use crate::processes::Group;
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use std::cell::Cell;
use std::mem::{size_of, zeroed};
use std::ptr::null_mut;

/// Training steps whose batch is cut into shards, which the processes of a group share. It holds
/// group, parameters and buffers. One step at a time:
///
/// ```compile_fail,E0499
/// # let weight = tenon::ones([2]).unwrap().with_grad().unwrap();
/// let mut parallel = tenon::processes::DataParallel::of(&weight).build().unwrap();
/// for shard in parallel.shards() {
///     parallel.shards(); // it is borrowed by the step that runs
///     shard.unwrap();
/// }
/// ```
pub struct DataParallel {
    owned: Owned<sys::tenon_data_parallel>,
    parameters: Vec<Tensor>,
    /// The shard of this process that has begun and not ended.
    open: Cell<Option<i64>>,
}

impl DataParallel {
    /// Of leaves that require gradients.
    pub fn of<'a>(parameters: impl Into<Tensors<'a>>) -> DataParallelBuilder<'a> {
        DataParallelBuilder::of(Source::Tensors(parameters.into()))
    }
    /// Of the parameters of a layer that require gradients, and its buffers.
    pub fn of_layer(layer: &Layer) -> DataParallelBuilder<'_> {
        DataParallelBuilder::of(Source::Layer(layer))
    }

    /// The shards of this process for one step, in order: end each by [`Shard::backward`]. Drops
    /// the gradients of the step before.
    ///
    /// A step that is left before its end, by an error, a panic or `break`, is given up: random
    /// numbers, buffers and [`step`](Self::step) are as before it, and no parameter has a gradient.
    /// The other processes get a `PEER` in their next transfer; after that all may go on.
    pub fn shards(&mut self) -> Shards<'_> {
        self.open.set(None);
        Shards {
            parallel: self,
            context: null_mut(),
            next: 0,
            n: 0,
            over: false,
        }
    }

    pub fn info(&self) -> Result<sys::tenon_data_parallel_info> {
        let state = state()?;
        let mut info: sys::tenon_data_parallel_info = unsafe { zeroed() };
        info.struct_size = size_of::<sys::tenon_data_parallel_info>() as u32;
        state.check(unsafe {
            sys::tenon_data_parallel_get_info(state.handle, self.handle(), &mut info)
        })?;
        Ok(info)
    }
    /// The number of the step that runs, or of the next, from 0.
    pub fn step(&self) -> Result<i64> {
        Ok(self.info()?.step)
    }
    /// For a run that goes on from a checkpoint, so that its random numbers do.
    pub fn set_step(&self, number: i64) -> Result<()> {
        let state = state()?;
        state.check(unsafe {
            sys::tenon_data_parallel_set_step(state.handle, self.handle(), number)
        })
    }

    /// Lets each process hold a size-th of the optimizer's state, from the next step on. All
    /// processes call it, and then `optimizer.step()` after each step. A parameter has no gradient
    /// then: [`clip`](Self::clip) makes them shorter.
    pub fn share_states(&self, optimizer: &Optimizer) -> Result<()> {
        let (state, parallel) = (state()?, self.handle());
        state.check(unsafe {
            sys::tenon_data_parallel_share_states(state.handle, parallel, optimizer.handle())
        })
    }
    /// Gives rank `root` the whole states of the optimizer until its next step: to be read, or
    /// saved with a checkpoint. All processes call it.
    pub fn gather_states(&self, root: i32) -> Result<()> {
        let (state, parallel) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_data_parallel_gather_states(state.handle, parallel, root) })
    }
    /// Makes all gradients together no longer than `max_norm`, before `optimizer.step()`; gives
    /// their norm. The same bits for any number of processes. All of them call it.
    pub fn clip(&self, max_norm: f64) -> Result<f64> {
        let (state, parallel, mut norm) = (state()?, self.handle(), 0.0);
        state.check(unsafe {
            sys::tenon_data_parallel_clip(state.handle, parallel, max_norm, &mut norm)
        })?;
        Ok(norm)
    }
    pub fn handle(&self) -> *mut sys::tenon_data_parallel {
        self.owned.get()
    }
}

enum Source<'a> {
    Tensors(Tensors<'a>),
    Layer(&'a Layer),
}

/// What shared steps are made with. All processes of the group make it with the same; parameters
/// and buffers get the values that rank 0 has.
#[must_use = "nothing is done before `build`"]
pub struct DataParallelBuilder<'a> {
    source: Source<'a>,
    group: Option<&'a Group>,
    shards: i64,
    bucket_bytes: i64,
    buffers: Tensors<'a>,
}

impl<'a> DataParallelBuilder<'a> {
    fn of(source: Source<'a>) -> Self {
        let none: &[Tensor] = &[];
        DataParallelBuilder {
            source,
            group: None,
            shards: 0,
            bucket_bytes: 0,
            buffers: none.into(),
        }
    }
    /// Without it: this process alone.
    pub fn group(mut self, group: &'a Group) -> Self {
        self.group = Some(group);
        self
    }
    /// Of a batch, by all processes; one for each process unless given. The same number gives the
    /// same bits with 1, 2, 4 and 8 processes.
    pub fn shards(mut self, shards: i64) -> Self {
        self.shards = shards;
        self
    }
    /// Of gradients that travel together; 1 MiB unless given.
    pub fn bucket_bytes(mut self, bytes: i64) -> Self {
        self.bucket_bytes = bytes;
        self
    }
    /// Such as running statistics, averaged over shards after each step. A layer's own are meant if
    /// it is of a layer.
    pub fn buffers(mut self, buffers: impl Into<Tensors<'a>>) -> Self {
        self.buffers = buffers.into();
        self
    }
    pub fn build(self) -> Result<DataParallel> {
        let (state, mut made) = (state()?, null_mut());
        let options = sys::tenon_data_parallel_options {
            struct_size: size_of::<sys::tenon_data_parallel_options>() as u32,
            flags: 0,
            shards: self.shards,
            bucket_bytes: self.bucket_bytes,
            buffers: self.buffers.handles(),
            n_buffers: self.buffers.len() as u32,
            reserved: 0,
        };
        let (context, group) = (state.handle, self.group.map_or(null_mut(), Group::handle));
        let parameters = self.source.parameters()?;
        state.check(unsafe {
            match self.source {
                Source::Tensors(list) => {
                    let (first, n) = (list.handles(), list.len() as u32);
                    sys::tenon_data_parallel_create(context, group, first, n, &options, &mut made)
                }
                Source::Layer(layer) => sys::tenon_data_parallel_create_for_layer(
                    context,
                    group,
                    layer.handle(),
                    &options,
                    &mut made,
                ),
            }
        })?;
        Ok(DataParallel {
            owned: unsafe { Owned::adopt(made) },
            parameters,
            open: Cell::new(None),
        })
    }
}

impl Source<'_> {
    fn parameters(&self) -> Result<Vec<Tensor>> {
        let mut found = Vec::new();
        match self {
            Source::Tensors(list) => {
                for place in 0..list.len() {
                    found.push(unsafe { Tensor::share(*list.handles().add(place)) });
                }
            }
            Source::Layer(layer) => {
                for each in layer.parameters()? {
                    if each.requires_grad()? {
                        found.push(each);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The shards of one step. If it has begun and not ended when this is dropped, it is given up.
#[must_use = "nothing is done before the first shard is asked for"]
pub struct Shards<'a> {
    parallel: &'a DataParallel,
    /// In which it has begun: its random numbers are the shard's. NULL before.
    context: *mut sys::tenon_context,
    /// Which is asked for next, of the `n` of this process.
    next: i64,
    n: i64,
    over: bool,
}

impl<'a> Shards<'a> {
    fn begin(&mut self) -> Result<Option<Shard<'a>>> {
        let (state, parallel) = (state()?, self.parallel);
        let info = parallel.info()?;
        let number = info.first_shard + self.next;
        if self.next == 0 {
            for each in &parallel.parameters {
                each.set_grad(None)?;
            }
            self.n = info.n_shards;
        } else if parallel.open.get().is_some() {
            return Err(Error::refuse(
                Status::STATE,
                ("DataParallel::shards", "shard"),
                "shard.backward(&loss) before the next shard",
                format_args!("none for shard {}", number - 1),
                "",
            ));
        } else if self.next == self.n {
            return Ok(None);
        }
        state.check(unsafe {
            sys::tenon_data_parallel_begin(state.handle, parallel.handle(), self.next)
        })?;
        self.context = state.handle;
        parallel.open.set(Some(self.next));
        let place = self.next;
        self.next += 1;
        Ok(Some(Shard {
            parallel,
            number,
            place,
            of: info.shards,
        }))
    }
    fn has_ended(&self) -> bool {
        self.next == self.n && self.parallel.open.get().is_none()
    }
}

impl<'a> Iterator for Shards<'a> {
    type Item = Result<Shard<'a>>;
    fn next(&mut self) -> Option<Result<Shard<'a>>> {
        if self.over {
            return None;
        }
        let found = self.begin().transpose();
        self.over = !matches!(found, Some(Ok(_)));
        found
    }
}

impl Drop for Shards<'_> {
    fn drop(&mut self) {
        if !self.context.is_null() && !self.has_ended() {
            unsafe { sys::tenon_data_parallel_give_up(self.context, self.parallel.handle()) };
        }
        self.parallel.open.set(None);
    }
}

/// One shard of a step, while it is computed.
pub struct Shard<'a> {
    parallel: &'a DataParallel,
    number: i64,
    place: i64,
    of: i64,
}

impl Shard<'_> {
    /// Among all shards of the batch.
    pub fn number(&self) -> i64 {
        self.number
    }
    /// Its rows of a batch `[n, ...]` that all processes read whole: `n` is a multiple of the
    /// number of shards.
    pub fn part(&self, batch: &Tensor) -> Result<Tensor> {
        let rows = batch.dim(0)?;
        if rows % self.of != 0 {
            return Err(Error::refuse(
                Status::SHAPE,
                ("Shard::part", "batch"),
                format_args!("a multiple of {} rows, a part for each shard", self.of),
                format_args!("{rows} rows"),
                "",
            ));
        }
        let size = rows / self.of;
        batch.i(self.number * size..(self.number + 1) * size)
    }
    /// Ends the shard: the backward of its loss, the mean over its samples. After the last shard of
    /// this process the parameters have the gradients of all processes.
    pub fn backward(&self, loss: &Tensor) -> Result<()> {
        let (state, parallel) = (state()?, self.parallel);
        if parallel.open.get() != Some(self.place) {
            return Err(Error::refuse(
                Status::STATE,
                ("Shard::backward", "shard"),
                "one that has begun, and has not ended",
                format_args!("shard {}", self.number),
                "",
            ));
        }
        state.check(unsafe {
            sys::tenon_data_parallel_end(state.handle, parallel.handle(), loss.handle())
        })?;
        parallel.open.set(None);
        Ok(())
    }
}
