# SPDX-License-Identifier: Apache-2.0
# tests/python/test_recurrent_layers.py: states that a program carries, and dropout between layers.

import unittest

from support import Case, tenon

STEPS, BATCH, INPUTS, HIDDEN = 6, 3, 4, 5
KINDS = ("lstm", "gru", "rnn")


def made(kind, **options):
    tenon.seed(25)
    return getattr(tenon.nn, kind)(inputs=INPUTS, hidden=HIDDEN, layers=2, **options)


def sequence():
    return tenon.normal(size=(STEPS, BATCH, INPUTS))


class States(Case):
    def test_two_halves_have_the_bits_of_the_whole(self):
        for kind in KINDS:
            layer, x = made(kind), sequence()
            whole = layer(x)
            first = layer(x[: STEPS // 2])
            second = layer(x[STEPS // 2 :], *[each.detach() for each in first[1:]])
            halves = tenon.concat([first[0], second[0]])
            self.assertEqual(halves.tolist(), whole[0].tolist(), kind)
            for found, expected in zip(second[1:], whole[1:], strict=True):
                self.assertEqual(found.tolist(), expected.tolist(), kind)

    def test_a_detached_state_ends_gradients(self):
        layer, x = made("lstm"), sequence().requires_grad_()
        _, h, c = layer(x[:2])
        y, _, _ = layer(x[2:], h.detach(), c.detach())
        tenon.sum(y).backward()
        self.assertEqual(tenon.sum(tenon.abs(x.grad[:2])).item(), 0)
        self.assertGreater(tenon.sum(tenon.abs(x.grad[2:])).item(), 0)

    def test_a_state_carries_gradients(self):
        layer, x = made("gru"), sequence().requires_grad_()
        _, h = layer(x[:2])
        y, _ = layer(x[2:], h)
        tenon.sum(y).backward()
        self.assertGreater(tenon.sum(tenon.abs(x.grad[:2])).item(), 0)

    def test_cells_are_steps_of_a_layer(self):
        for kind in KINDS:
            tenon.seed(25)
            layer = getattr(tenon.nn, kind)(inputs=INPUTS, hidden=HIDDEN)
            cell = getattr(tenon.nn, f"{kind}_cell")(inputs=INPUTS, hidden=HIDDEN)
            saved = layer.state_dict()
            cell.load_state_dict({name[: -len("_l0")]: each for name, each in saved.items()})
            x = sequence()
            y = layer(x)[0]
            states = ()
            for t in range(STEPS):
                found = cell(x[t], *states)
                states = found if isinstance(found, (tuple, list)) else (found,)
                difference = tenon.max(tenon.abs(states[0] - y[t])).item()
                self.assertLess(difference, 1e-6, kind)


class Dropout(Case):
    def test_between_layers_in_training_alone(self):
        for kind in KINDS:
            layer, x = made(kind, dropout=0.5), sequence()
            trained = layer(x)[0]
            self.assertNotEqual(trained.tolist(), layer(x)[0].tolist(), kind)
            self.assertTrue(tenon.all(tenon.ne(trained, 0)).item(), kind)
            layer.eval()
            self.assertEqual(layer(x)[0].tolist(), layer(x)[0].tolist(), kind)


if __name__ == "__main__":
    unittest.main()
