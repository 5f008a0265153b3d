// SPDX-License-Identifier: Apache-2.0
// tests/rust/processes.rs: groups, transfers and shared steps in Rust, and what is left of a step
// that is left before its end.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;
use tenon::processes::{self, Collective, DataParallel, Group, Request};
use tenon::{nn, optim, Dtype, Error, Layer, Optimizer, Result, Status, Tensor};

fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.to_vec::<f32>()
}

fn error_of<T>(result: Result<T>) -> Error {
    result.err().expect("the call fails")
}

fn alone() -> Result<Group> {
    processes::join("tenon.self", &[], None)
}

// ---- Groups and transfers -----------------------------------------------------------------------

#[test]
fn groups_are_joined_and_parted() -> Result<()> {
    let world = processes::join("tenon.self", &[], Some(Duration::from_secs(5)))?;
    assert_eq!((world.rank(), world.size()), (0, 1));
    world.barrier(None)?;
    assert_eq!(world.info()?.transfers, 1);
    let part = world.split(3, -1)?;
    assert!(part.number() > world.number());
    let ones = tenon::ones([2])?;
    let sum = tenon::all_reduce(&ones).group(part.number()).call()?;
    assert_eq!(numbers(&sum)?, [1.0, 1.0]);
    assert_eq!(error_of(world.split(-1, 0)).status, Status::ARGUMENT);
    let nobody = processes::join("acme.none", &[], None);
    assert_eq!(error_of(nobody).status, Status::NOT_FOUND);
    let unknown = processes::join("tenon.self", &[("speed", 3.into())], None);
    assert_eq!(error_of(unknown).status, Status::ATTRIBUTE);
    Ok(())
}

#[test]
fn groups_send_beside_the_program() -> Result<()> {
    let world = alone()?;
    let (x, y) = (tenon::tensor([1.0, 2.0])?, tenon::zeros([1, 2])?);
    let gather = Request::new(Collective::AllGather).input(&x).output(&y);
    world.run(&[gather], Some(Duration::from_nanos(1)))?;
    assert_eq!(numbers(&y)?, [1.0, 2.0]);
    let z = tenon::zeros([1, 2])?;
    let transfer = unsafe { world.begin(&[gather.output(&z)], None) }?;
    transfer.end()?;
    transfer.end()?; // tells the same again
    assert!(transfer.ended()?);
    assert_eq!(numbers(&z)?, [1.0, 2.0]);
    let without = world.run(&[Request::new(Collective::AllReduce).input(&x)], None);
    assert_eq!(error_of(without).operand, "output");
    let two = [Request::new(Collective::Barrier); 2];
    assert_eq!(error_of(world.run(&two, None)).status, Status::ARGUMENT);
    Ok(())
}

#[test]
fn collectives_have_the_numbers_of_c() -> Result<()> {
    let world = alone()?;
    for (collective, name) in [
        (Collective::Send, "send"),
        (Collective::Receive, "receive"),
        (Collective::Broadcast, "broadcast"),
        (Collective::AllGather, "all_gather"),
        (Collective::AllToAll, "all_to_all"),
        (Collective::ReduceScatter, "reduce_scatter"),
        (Collective::AllReduce, "all_reduce"),
        (Collective::Barrier, "barrier"),
    ] {
        let nobody = Request::new(collective).peer(9);
        let error = error_of(world.run(&[nobody], None));
        assert_eq!((&*error.op, &*error.operand), (name, "peer"));
    }
    Ok(())
}

// ---- A step -------------------------------------------------------------------------------------

#[test]
fn a_step_has_the_gradient_of_the_mean_of_shards() -> Result<()> {
    let weight = tenon::tensor([2.0])?.with_grad()?;
    let (world, batch) = (alone()?, tenon::tensor([1.0, 2.0, 3.0, 6.0])?);
    for group in [None, Some(&world)] {
        let mut builder = DataParallel::of(&weight).shards(2).bucket_bytes(64);
        if let Some(group) = group {
            builder = builder.group(group);
        }
        let mut parallel = builder.build()?;
        assert_eq!(parallel.info()?.n_shards, 2);
        // The gradient of the step before is dropped.
        for step in 0..2 {
            assert_eq!(parallel.step()?, step);
            let mut seen = Vec::new();
            for shard in parallel.shards() {
                let shard = shard?;
                seen.push(shard.number());
                let loss = tenon::mean(&(shard.part(&batch)? * &weight)?).call()?;
                shard.backward(&loss)?;
            }
            assert_eq!(seen, [0, 1]);
            assert_eq!(numbers(&weight.grad()?.unwrap())?, [3.0]);
        }
        assert_eq!(parallel.clip(1.5)?, 3.0);
        assert!((numbers(&weight.grad()?.unwrap())?[0] - 1.5).abs() < 1e-5);
        parallel.set_step(7)?;
        assert_eq!(parallel.step()?, 7);
    }
    Ok(())
}

#[test]
fn states_are_shared() -> Result<()> {
    let weight = tenon::tensor([2.0])?.with_grad()?;
    let mut parallel = DataParallel::of([&weight]).shards(2).build()?;
    let sgd = optim::sgd([&weight]).lr(0.5).momentum(0.9).build()?;
    parallel.share_states(&sgd)?;
    for shard in parallel.shards() {
        let shard = shard?;
        let loss = tenon::sum(&(&weight * 2)?).call()?;
        shard.backward(&loss)?;
        assert_eq!(error_of(shard.backward(&loss)).status, Status::STATE);
    }
    sgd.step()?;
    parallel.gather_states(0)?;
    assert_eq!(numbers(&weight)?, [1.0]);
    assert_eq!(numbers(&sgd.state(0, "momentum_buffer")?.unwrap())?, [2.0]);
    Ok(())
}

// ---- A step that is left ------------------------------------------------------------------------

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    None,
    WrongCall,
    Panic,
    PanicInHook,
    Leaves,
    NoBackward,
    WrongLoss,
}

/// What a run of three steps is made of.
struct Run {
    model: Layer,
    parallel: DataParallel,
    adam: Optimizer,
}

impl Run {
    fn new() -> Result<Run> {
        tenon::seed(5)?;
        let parts = (
            nn::linear(3, 4),
            nn::batch_norm(4),
            nn::dropout().p(0.5),
            nn::linear(4, 1),
        );
        let model = nn::sequential(parts).build()?;
        Ok(Run {
            parallel: DataParallel::of_layer(&model).shards(2).build()?,
            adam: optim::adam(&model).lr(0.1).build()?,
            model,
        })
    }

    /// One step; in the forward of its second shard it ends otherwise.
    fn step(&mut self, ending: Ending) -> Result<()> {
        let values: Vec<f32> = (0..24).map(|each| each as f32 / 24.0).collect();
        let batch = Tensor::from_vec(values, [8, 3])?;
        for shard in self.parallel.shards() {
            let shard = shard?;
            let out = self.model.forward(&shard.part(&batch)?)?;
            let mut loss = tenon::mean(&(&out * &out)?).call()?;
            if shard.number() == 1 {
                match ending {
                    Ending::None => (),
                    Ending::WrongCall => drop((&out + tenon::ones([7, 7])?)?),
                    Ending::Panic => panic!("boom"),
                    Ending::PanicInHook => {
                        let _hook = tenon::Hook::new(&out, |_| panic!("boom"))?;
                        shard.backward(&loss)?;
                        continue;
                    }
                    Ending::Leaves => return Ok(()),
                    Ending::NoBackward => continue,
                    Ending::WrongLoss => loss = out,
                }
            }
            shard.backward(&loss)?;
        }
        self.adam.step()
    }

    fn tensors(&self) -> Result<Vec<f32>> {
        let mut all = Vec::new();
        for each in self.model.state_dict()? {
            all.extend(numbers(&each.tensor.astype(Dtype::F32)?)?);
        }
        Ok(all)
    }
}

/// All numbers of a run that are there after each step, with what its program draws itself.
fn numbers_of_run(ending: Ending) -> Result<Vec<f32>> {
    let mut run = Run::new()?;
    let mut all = Vec::new();
    for step in 0..3 {
        if step == 1 && ending != Ending::None {
            let before = run.tensors()?;
            match catch_unwind(AssertUnwindSafe(|| run.step(ending))) {
                Err(words) => {
                    assert!([Ending::Panic, Ending::PanicInHook].contains(&ending));
                    assert_eq!(*words.downcast_ref::<&str>().unwrap(), "boom");
                }
                Ok(Ok(())) => assert_eq!(ending, Ending::Leaves),
                Ok(Err(error)) => {
                    let expected = match ending {
                        Ending::WrongCall => Status::SHAPE,
                        Ending::WrongLoss => Status::GRAD,
                        _ => Status::STATE,
                    };
                    assert_eq!(error.status, expected);
                    if ending == Ending::NoBackward {
                        assert_eq!(
                            error.message,
                            "DataParallel::shards: shard: expected shard.backward(&loss) before \
                             the next shard, found none for shard 1"
                        );
                    }
                }
            }
            assert_eq!(run.tensors()?, before);
            assert_eq!(run.parallel.step()?, 1);
            for each in run.model.parameters()? {
                assert!(each.grad()?.is_none());
            }
        }
        run.step(Ending::None)?;
        all.extend(numbers(&tenon::rand([4])?)?);
        all.extend(run.tensors()?);
    }
    Ok(all)
}

#[test]
fn a_step_that_is_left_is_given_up() -> Result<()> {
    let expected = numbers_of_run(Ending::None)?;
    for ending in [
        Ending::WrongCall,
        Ending::Panic,
        Ending::PanicInHook,
        Ending::Leaves,
        Ending::NoBackward,
        Ending::WrongLoss,
    ] {
        println!("{ending:?}");
        assert!(numbers_of_run(ending)? == expected);
    }
    Ok(())
}

/// A step ends in the context that it has begun in, whose random numbers the shard's are.
#[test]
fn a_step_is_given_up_in_its_own_context() -> Result<()> {
    let weight = tenon::tensor([2.0])?.with_grad()?;
    let mut parallel = DataParallel::of(&weight).shards(2).build()?;
    tenon::seed(3)?;
    let expected = numbers(&tenon::rand([4])?)?;
    tenon::seed(3)?;
    let other = tenon::Context::new(&tenon::Runtime::shared()?)?;
    let mut shards = parallel.shards();
    let first = shards.next().unwrap()?;
    other.enter(|| drop(shards));
    assert_eq!(numbers(&tenon::rand([4])?)?, expected);
    // What is left of the step is of no use.
    let loss = tenon::sum(&weight).call()?;
    assert_eq!(error_of(first.backward(&loss)).status, Status::STATE);
    // Nor is a step in a context that is gone.
    let context = tenon::Context::new(&tenon::Runtime::shared()?)?;
    let mut shards = parallel.shards();
    assert!(context.enter(|| shards.next()).unwrap().is_ok());
    drop(context);
    drop(shards);
    Ok(())
}

#[test]
fn what_cannot_be_shared_is_refused() -> Result<()> {
    let weight = tenon::tensor([2.0])?.with_grad()?;
    let refused = |builder: processes::DataParallelBuilder| error_of(builder.build()).status;
    assert_eq!(
        refused(DataParallel::of(&weight).shards(-2)),
        Status::ARGUMENT
    );
    assert_eq!(refused(DataParallel::of(&tenon::ones([2])?)), Status::GRAD);
    let (layer, buffer) = (nn::linear(1, 1).build()?, tenon::ones([2])?);
    let with_buffers = DataParallel::of_layer(&layer).buffers(&buffer);
    assert_eq!(refused(with_buffers), Status::ARGUMENT);
    let mut parallel = DataParallel::of(&weight).shards(2).build()?;
    let first = parallel.shards().next().unwrap()?;
    assert_eq!(
        error_of(first.part(&tenon::ones([5])?)).message,
        "Shard::part: batch: expected a multiple of 2 rows, a part for each shard, found 5 rows"
    );
    assert_eq!(error_of(parallel.set_step(-1)).status, Status::ARGUMENT);
    Ok(())
}
