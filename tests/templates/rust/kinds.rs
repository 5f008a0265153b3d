// SPDX-License-Identifier: Apache-2.0
// tests/templates/rust/kinds.rs: the plugin test.rust_kinds: a schedule, a format, a layer, a
// transform and a dataset, which do what those of c/kinds.c do. Both globs at once: a name of the
// one must not hide the crate.
use tenon_plugin::raw::*;
use tenon_plugin::*;

const NAME: &str = "test.rust_kinds";

// ---- The schedule: half of the value before -----------------------------------------------------

struct Halves;

impl Schedule for Halves {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "Halves the value at each step.";
    const STATES: &'static [tenon_schedule_state_desc] = &[schedule_state(
        "share",
        "Of the base value, at the next step.",
        1.0,
    )];

    fn advance(step: &mut Step) -> Result<f64> {
        let value = step.base * step.states[0];
        step.states[0] /= 2.0;
        Ok(value)
    }
}

// ---- The format: all bytes of a file as one tensor ----------------------------------------------

struct Bytes([Entry; 1]);

impl Format for Bytes {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "The bytes of a file.";
    const ENDINGS: &'static str = ".rust_kinds";

    fn read(bytes: &[u8]) -> Result<Bytes> {
        if bytes.is_empty() {
            return Err(Failure::new(TENON_E_DATA, "kinds: an empty file").into());
        }
        // One byte more is said to be there than there is.
        let lies = i64::from(bytes == b"lies");
        Ok(Bytes([Entry {
            name: "bytes".to_string(),
            dtype: TENON_DTYPE_U8,
            shape: vec![bytes.len() as i64 + lies],
            offset: 0,
        }]))
    }
    fn entries(&self) -> &[Entry] {
        &self.0
    }
    fn layout(_: &Content) -> Result<Vec<Piece>> {
        Err(Failure::new(TENON_E_UNSUPPORTED, "kinds: such files are only read").into())
    }
}

// ---- The layer: a child, then a number times its output; counts its calls in training -----------

struct Scaled;

impl Layer for Scaled {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "A number times what a child gives.";
    const OPTIONS: &'static [tenon_layer_option] = &[required_layer_option(
        "op",
        "what the child does",
        TENON_VALUE_STRING,
    )];
    const SAMPLES: &'static [tenon_layer_sample] = &[];

    fn describe(d: &Describe) -> Result {
        let two = [("value", 2.0.into())];
        d.parameter("scale", &[], TENON_DTYPE_F64, ("tenon.full", &two))?;
        let zero = [("value", 0i64.into())];
        d.buffer("calls", &[], TENON_DTYPE_I64, ("tenon.full", &zero))?;
        let op = d.options.text(0);
        d.child("child", "tenon.activation", &[("op", op.as_str().into())])
    }
    fn forward(f: &Forward) -> Result {
        if f.training {
            let counted = f.call("tenon.add", &[f.tensor("calls")?, 1i64.into()], &[])?;
            f.set_buffer("calls", counted)?;
        }
        let y = f.child(0, &[f.input(0)])?;
        let rank = f.meta(y)?.rank;
        if rank == 0 {
            f.set(0, 1.0.into())?; // which is wrong: an output is a tensor
        }
        if rank > 1 {
            let words = format!("kinds: one dimension, found {rank}");
            return Err(Failure::new(TENON_E_SHAPE, words).into());
        }
        f.set(0, f.call("tenon.mul", &[y, f.tensor("scale")?], &[])?)
    }
}

// ---- The transform: bytes turned round, or as they are ------------------------------------------

struct Turned {
    mask: u8,
}

impl Transform for Turned {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "255 - x.";
    const OPTIONS: &'static [tenon_transform_option] = &[required_transform_option(
        "mode",
        "turn or keep",
        TENON_VALUE_STRING,
    )];
    const SAMPLES: &'static [tenon_transform_sample] = &[];

    fn create(options: Attrs) -> Result<Turned> {
        let mask = if options.text(0) == "keep" { 0 } else { 255 };
        Ok(Turned { mask })
    }
    fn infer(&self, sample: &tenon_meta) -> Result<tenon_meta> {
        match sample.dtype {
            TENON_DTYPE_U8 => Ok(*sample),
            _ => Err(Failure::new(TENON_E_DTYPE, "kinds: not u8").into()),
        }
    }
    fn run(&self, batch: &Batch) -> Result {
        let (from, to) = batch.elements::<u8, u8>();
        for (to, from) in to.iter_mut().zip(from) {
            *to = from ^ self.mask;
        }
        Ok(())
    }
}

// ---- The dataset: six samples, each seed, epoch and number in one -------------------------------

struct Draws;

impl Dataset for Draws {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "Seed, epoch and number.";
    const OPTIONS: &'static [tenon_dataset_option] = &[];
    const DRAWS: bool = true;

    fn create(_: Attrs) -> Result<Draws> {
        Ok(Draws)
    }
    fn length(&self) -> i64 {
        6
    }
    fn fields(&self) -> Vec<Field> {
        vec![Field {
            name: "draw",
            dtype: TENON_DTYPE_I64,
            shape: vec![],
        }]
    }
    fn get_batch(&self, batch: &Samples, target: &Target) -> Result {
        for (row, number) in batch.numbers.iter().enumerate() {
            target.write(
                0,
                row,
                &[batch.seed as i64 * 100 + batch.epoch * 10 + number],
            );
        }
        Ok(())
    }
}

const UNIT: Unit = Unit {
    schedules: &[schedule::<Halves>()],
    datasets: &[dataset::<Draws>()],
    formats: &[format::<Bytes>()],
    layers: &[layer::<Scaled>()],
    transforms: &[transform::<Turned>()],
    ..Unit::EMPTY
};

export_plugin!(id: "test.rust_kinds", version: "1.0.0", license: "Apache-2.0", units: &[&UNIT]);
