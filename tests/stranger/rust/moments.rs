// SPDX-License-Identifier: Apache-2.0
// tests/stranger/rust/moments.rs: the op acme.moments: the mean of each row, and the
// mean of its squares.
//
//   mean_n = sum_d x_nd / D      square_n = sum_d x_nd^2 / D
//   dx_nd = (dmean_n + 2 x_nd dsquare_n) / D
//
// Canonical arithmetic: in f64 from the first column to the last, rounded to the dtype once.
use tenon_plugin::raw::*;
use tenon_plugin::*;

const NAME: &str = "acme.moments";

struct Moments;

impl Infer for Moments {
    fn infer(args: &Args, outputs: &mut [tenon_meta]) -> Result {
        let shape = args.input(0).shape();
        if shape[1] < 1 {
            let words = "a row without columns has no mean";
            return Err(Failure::new(TENON_E_SHAPE, words)
                .operand("x")
                .expected("at least 1 column")
                .found(format!("{shape:?}"))
                .into());
        }
        for output in outputs {
            output.rank = 1;
            output.shape[0] = shape[0];
        }
        Ok(())
    }
}

impl Rule for Moments {
    fn vjp(v: &Vjp) -> Result {
        let last: &[i64] = &[1];
        let x = v.input(0)?;
        let mean = v.call("tenon.unsqueeze", &[v.dy(0)?], &[last.into()])?;
        let square = v.call("tenon.unsqueeze", &[v.dy(1)?], &[last.into()])?;
        let slope = v.call("tenon.mul", &[x, square], &[])?;
        let slope = v.call("tenon.mul", &[slope, 2.0.into()], &[])?;
        // What is the same for each column of x, and what is not, in one tensor of its shape.
        let sum = v.call("tenon.add", &[mean, slope], &[])?;
        let columns = v.input_meta(0)?.shape[1];
        v.grad(
            0,
            v.call("tenon.div", &[sum, (columns as f64).into()], &[])?,
        )
    }
}

impl Kernel for Moments {
    fn launch(l: &Launch) -> Result {
        let x = l.input(0);
        let columns = x.shape()[1];
        for row in 0..x.shape()[0] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for column in 0..columns {
                let value = match x.dtype() {
                    TENON_DTYPE_F32 => f64::from(x.get::<f32>(&[row, column])),
                    _ => x.get::<f64>(&[row, column]),
                };
                sum += value;
                squares += value * value;
            }
            for (output, total) in [(0, sum), (1, squares)] {
                let value = total / columns as f64;
                match x.dtype() {
                    TENON_DTYPE_F32 => l.output(output).set(&[row], value as f32),
                    _ => l.output(output).set(&[row], value),
                }
            }
        }
        Ok(())
    }
}

pub const UNIT: Unit = Unit {
    ops: &[op(Op {
        name: NAME,
        schema: "moments(x: T[N,D]) -> (mean: T[N], square: T[N]) where T: f32|f64",
        doc: "The mean of each row and the mean of its squares.\n\n\
              Gradient: `dx = (dmean + 2 x dsquare) / D`.",
        infer: infer_fn::<Moments>(),
        ..Op::NEW
    })],
    vjps: &[vjp(VjpParts {
        op: NAME,
        needs: &[tenon_vjp_need {
            inputs: 1 << 0,
            input_metas: 1 << 0,
            ..NEEDS_NOTHING
        }],
        vjp: vjp_fn::<Moments>(),
        n_outputs: 2,
        ..VjpParts::NEW
    })],
    kernels: &[kernel(KernelParts {
        op: NAME,
        slots: &[STRIDED_IN, STRIDED_OUT, STRIDED_OUT],
        rows: FLOATS,
        flags: TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
        launch: launch_fn::<Moments>(),
        ..KernelParts::NEW
    })],
    samples: &[
        sample(NAME, "f64[2,3](-4,4)"),
        sample(NAME, "f32[3,5]"),
        sample(NAME, "f32[0,3]"),
        sample(NAME, "f64[4,1]"),
        refused(NAME, "f32[2,0]", TENON_E_SHAPE, "without columns"),
        refused(NAME, "i64[2,3]", TENON_E_DTYPE, "i64"),
    ],
    ..Unit::EMPTY
};
