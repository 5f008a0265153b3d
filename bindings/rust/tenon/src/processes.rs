// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/processes.rs: groups of processes, and what they send each other. Steps
// that they share are in data_parallel.rs.
//! A program for several processes, which `mpirun -n 4 program` starts:
//!
//! ```
//! # fn main() -> tenon::Result<()> {
//! use tenon::processes::{self, DataParallel};
//! # let (engine, model) = ("tenon.self", tenon::nn::linear(2, 1).build()?);
//! # let batch = tenon::ones([8, 2])?;
//!
//! let world = processes::join(engine, &[], None)?; // "tenon.mpi"
//! let sgd = tenon::optim::sgd(&model).lr(0.1).build()?;
//! let mut parallel = DataParallel::of_layer(&model).group(&world).shards(8).build()?;
//! for _ in 0..3 {
//!     for shard in parallel.shards() {
//!         let shard = shard?;
//!         let out = model.forward(&shard.part(&batch)?)?;
//!         shard.backward(&tenon::mean(&(&out * &out)?).call()?)?;
//!     }
//!     sgd.step()?;
//! }
//! # assert_eq!(parallel.step()?, 3);
//! # Ok(())
//! # }
//! ```
//!
//! With "tenon.self" it runs in one process, and gives the same bits. The ops of a group take its
//! number: `tenon::all_reduce(&x).group(world.number()).call()?`.

use crate::context::state;
use crate::error::Result;
use crate::objects::Owned;
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{OptionLists, Value};
use std::mem::{size_of, zeroed};
use std::ptr::null_mut;
use std::rc::Rc;
use std::time::Duration;

pub use crate::data_parallel::{DataParallel, DataParallelBuilder, Shard, Shards};

// ---- Transfers ----------------------------------------------------------------------------------

/// What processes do with each other: `TENON_COLLECTIVE_*` of `tenon/ext/draft/collectives.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Collective {
    Send = 0,
    Receive = 1,
    Broadcast = 2,
    AllGather = 3,
    AllToAll = 4,
    ReduceScatter = 5,
    AllReduce = 6,
    Barrier = 7,
}

/// One transfer of this process. The shapes are in `tenon/ext/draft/processes.h`.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    collective: Collective,
    input: Option<&'a Tensor>,
    output: Option<&'a Tensor>,
    peer: i32,
}

impl<'a> Request<'a> {
    pub fn new(collective: Collective) -> Request<'a> {
        Request {
            collective,
            input: None,
            output: None,
            peer: 0,
        }
    }
    /// What is sent: not for `Receive`, `Barrier`, and `Broadcast` but at its root.
    pub fn input(mut self, input: &'a Tensor) -> Self {
        self.input = Some(input);
        self
    }
    /// Where it arrives: not for `Send` and `Barrier`.
    pub fn output(mut self, output: &'a Tensor) -> Self {
        self.output = Some(output);
        self
    }
    /// The partner of `Send` and `Receive`; whose data a `Broadcast` is.
    pub fn peer(mut self, rank: i32) -> Self {
        self.peer = rank;
        self
    }
    fn given(&self) -> sys::tenon_transfer_request {
        sys::tenon_transfer_request {
            struct_size: size_of::<sys::tenon_transfer_request>() as u32,
            flags: 0,
            collective: self.collective as u32,
            peer: self.peer,
            input: self.input.map_or(null_mut(), Tensor::handle),
            output: self.output.map_or(null_mut(), Tensor::handle),
        }
    }
}

/// Something that is on its way. It goes on without this object, too.
pub struct Transfer(Owned<sys::tenon_transfer>);

impl Transfer {
    /// Waits. An error is told again each time it is called; after an `INTERRUPTED` the transfer
    /// goes on.
    pub fn end(&self) -> Result<()> {
        let state = state()?;
        state.check(unsafe { sys::tenon_transfer_end(state.handle, self.0.get()) })
    }
    /// Whether it has ended, well or not.
    pub fn ended(&self) -> Result<bool> {
        let (state, mut ended) = (state()?, 0);
        state.check(unsafe {
            sys::tenon_transfer_get_ended(state.handle, self.0.get(), &mut ended)
        })?;
        Ok(ended != 0)
    }
    pub fn handle(&self) -> *mut sys::tenon_transfer {
        self.0.get()
    }
}

// ---- Groups -------------------------------------------------------------------------------------

/// Processes that send each other tensors; [`join`] makes the group of all. A clone is another
/// owner of the same group, which this process leaves with the last one.
#[derive(Clone)]
pub struct Group {
    owned: Rc<Owned<sys::tenon_group>>,
    number: i64,
    rank: i32,
    size: i32,
}

/// All processes of the program, when they have joined.
///
/// `engine` is the name of a registered one: "tenon.mpi", "tenon.nccl", or "tenon.self" for this
/// process alone, with its options. Joining, and each transfer, may take `timeout`: ten minutes
/// unless given.
pub fn join(engine: &str, options: &[(&str, Value)], timeout: Option<Duration>) -> Result<Group> {
    let (state, lists, mut made) = (state()?, OptionLists::of(options), null_mut());
    let (text, length) = (engine.as_ptr().cast(), engine.len() as u64);
    let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
    let (context, limit) = (state.handle, milliseconds(timeout));
    state.check(unsafe {
        sys::tenon_group_create(context, text, length, names, values, n, limit, &mut made)
    })?;
    Group::of(unsafe { Owned::adopt(made) })
}

/// As the C API takes it: 0 is none, so that less than a millisecond is one.
fn milliseconds(timeout: Option<Duration>) -> i64 {
    timeout.map_or(0, |given| {
        i64::try_from(given.as_millis()).unwrap_or(i64::MAX).max(1)
    })
}

impl Group {
    fn of(owned: Owned<sys::tenon_group>) -> Result<Group> {
        let info = info_of(&owned)?;
        Ok(Group {
            owned: Rc::new(owned),
            number: info.number,
            rank: info.rank,
            size: info.size,
        })
    }
    /// Of this process, 0 to `size() - 1`.
    pub fn rank(&self) -> i32 {
        self.rank
    }
    /// How many processes there are.
    pub fn size(&self) -> i32 {
        self.size
    }
    /// For ops: `tenon::all_reduce(&x).group(world.number())`.
    pub fn number(&self) -> i64 {
        self.number
    }
    /// What was sent so far.
    pub fn info(&self) -> Result<sys::tenon_group_info> {
        info_of(&self.owned)
    }
    /// The group of all processes that give the same color, in the order of their keys, then of
    /// their ranks. All processes of this group call it.
    pub fn split(&self, color: i32, key: i32) -> Result<Group> {
        let (state, mut made) = (state()?, null_mut());
        state.check(unsafe {
            sys::tenon_group_split(state.handle, self.handle(), color, key, &mut made)
        })?;
        Group::of(unsafe { Owned::adopt(made) })
    }

    /// Begins a transfer, or several `Send` and `Receive` that go on side by side, and returns at
    /// once. No gradients flow through it; those of ops do. `timeout` is the group's unless given.
    ///
    /// # Safety
    /// Until the transfer has ended another thread reads the inputs and writes the outputs: no
    /// input is written, and no output is read or written.
    pub unsafe fn begin(
        &self,
        requests: &[Request],
        timeout: Option<Duration>,
    ) -> Result<Transfer> {
        let (state, mut made) = (state()?, null_mut());
        let given: Vec<_> = requests.iter().map(Request::given).collect();
        let listed: Vec<*const _> = given.iter().map(|each| each as *const _).collect();
        let (first, n, limit) = (listed.as_ptr(), listed.len() as u32, milliseconds(timeout));
        let (context, group) = (state.handle, self.handle());
        state.check(sys::tenon_group_begin(
            context, group, first, n, limit, &mut made,
        ))?;
        Ok(Transfer(Owned::adopt(made)))
    }
    /// The same, and waits until it has ended. An interruption is told after that.
    pub fn run(&self, requests: &[Request], timeout: Option<Duration>) -> Result<()> {
        let transfer = unsafe { self.begin(requests, timeout) }?;
        let mut interrupted = Ok(());
        loop {
            match transfer.end() {
                Err(error) if error.status == Status::INTERRUPTED => interrupted = Err(error),
                ended => return ended.and(interrupted),
            }
        }
    }
    /// Returns when all processes have come.
    pub fn barrier(&self, timeout: Option<Duration>) -> Result<()> {
        self.run(&[Request::new(Collective::Barrier)], timeout)
    }
    pub fn handle(&self) -> *mut sys::tenon_group {
        self.owned.get()
    }
}

fn info_of(group: &Owned<sys::tenon_group>) -> Result<sys::tenon_group_info> {
    let state = state()?;
    let mut info: sys::tenon_group_info = unsafe { zeroed() };
    info.struct_size = size_of::<sys::tenon_group_info>() as u32;
    state.check(unsafe { sys::tenon_group_get_info(state.handle, group.get(), &mut info) })?;
    Ok(info)
}
