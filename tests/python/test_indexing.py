# SPDX-License-Identifier: Apache-2.0
# tests/python/test_indexing.py: x[...] and x[...] = y; indexing_numpy_test.py compares with NumPy.
import unittest

from support import Case, tenon


class Reading(Case):
    def setUp(self):
        self.x = tenon.tensor([[0, 1, 2], [3, 4, 5]])

    def tearDown(self):
        del self.x

    def test_integers_slices_none_ellipsis_are_views(self):
        x = self.x
        self.same(x[1], [3, 4, 5])
        self.same(x[-1, -2], 4)
        self.same(x[:, 1], [1, 4])
        self.same(x[::-1, ::-2], [[5, 3], [2, 0]])
        self.same(x[5:], [])
        self.same(x[..., 0], [0, 3])
        self.assertEqual(x[None, :, None].shape, (1, 2, 1, 3))
        self.assertEqual(x[()].shape, (2, 3))
        for key in (1, (slice(None), 1), (Ellipsis, None), slice(None, None, -1)):
            self.assertEqual(x[key].storage, x.storage)

    def test_tensors_of_integers(self):
        x = self.x
        self.same(x[tenon.tensor([1, 0, -1])], [[3, 4, 5], [0, 1, 2], [3, 4, 5]])
        self.same(x[:, tenon.tensor([[0, 2], [1, -1]])], [[[0, 2], [1, 2]], [[3, 5], [4, 5]]])
        self.same(x[[0, 1], [2, 0]], [2, 3])
        self.same(x[tenon.tensor([[0], [1]]), tenon.tensor([0, 2])], [[0, 2], [3, 5]])
        self.same(x[1, [0, 2]], [3, 5])
        self.same(x[tenon.tensor([1], tenon.uint8)], [[3, 4, 5]])
        self.same(x[[]], [])

    def test_tensors_apart_put_their_shape_in_front(self):
        x = tenon.arange(stop=24, dtype=tenon.int64).reshape(2, 3, 4)
        self.same(x[[0, 1], :, [2, 0]], [[2, 6, 10], [12, 16, 20]])
        self.same(x[[-1], :, [-1]], [[15, 19, 23]])
        self.same(
            x[[[0], [1]], :, [3, 1]],
            [[[3, 7, 11], [1, 5, 9]], [[15, 19, 23], [13, 17, 21]]],
        )
        # Integers beside them count as tensors, and masks as the indices of what is true.
        self.same(x[0, :, [1, 0]], [[1, 5, 9], [0, 4, 8]])
        self.same(x[[1, 0, 0], ..., 3], [[15, 19, 23], [3, 7, 11], [3, 7, 11]])
        self.same(x[[True, False], :, [1, 2]], [[1, 5, 9], [2, 6, 10]])
        self.same(x[[0, 1], None, [2, 0]], [[[8, 9, 10, 11]], [[12, 13, 14, 15]]])
        y = tenon.arange(stop=16, dtype=tenon.int64).reshape(2, 2, 2, 2)
        self.same(y[:, [0, 1], :, [1, 0]], [[[1, 3], [9, 11]], [[4, 6], [12, 14]]])
        self.same(y[[0, 1], :, [1, 0], 1:], [[[3], [7]], [[9], [13]]])
        # Side by side their shape stays where they are.
        self.same(x[:, [0, 2], [1, 3]], [[1, 11], [13, 23]])
        self.same(y[:, [[0], [1]], [1, 0], 0], [[[2, 0], [6, 4]], [[10, 8], [14, 12]]])

    def test_masks(self):
        x = self.x
        self.same(x[x > 2], [3, 4, 5])
        self.same(x[tenon.tensor([False, True])], [[3, 4, 5]])
        self.same(x[:, [True, False, True]], [[0, 2], [3, 5]])
        self.same(x[x < 0], [])

    def test_masks_of_rank_0(self):
        x = self.x
        for true in (True, tenon.tensor(True), x.sum() > 0):
            self.same(x[true], [x.tolist()])
            self.same(x[0, true], [[0, 1, 2]])
            self.same(x[true, [0, 1]], x.tolist())
            self.assertEqual(x[:, true].shape, (2, 1, 3))
            self.assertEqual(x[true, :, true].shape, (1, 2, 3))
            self.same(tenon.tensor(7)[true], [7])
        for false in (False, tenon.tensor(False), x.sum() < 0):
            self.assertEqual(x[false].shape, (0, 2, 3))
            self.assertEqual(x[..., false].shape, (2, 3, 0))
            self.assertEqual(x[True, false].shape, (0, 2, 3))
            self.same(tenon.tensor(7)[false], [])
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        (w[True] * 3).sum().backward()
        self.same(w.grad, [3.0, 3.0])

    def test_gradients_flow_through(self):
        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        (x[1] * 2).sum().backward()
        x[:, ::-1][0, 0].backward()
        x[[0, 0], [0, 0]].sum().backward()
        self.same(x.grad, [[2.0, 1.0], [2.0, 2.0]])

    def test_gradients_flow_through_tensors_apart(self):
        x = tenon.tensor([[[0.0] * 2] * 3] * 2, requires_grad=True)
        weights = tenon.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        (x[[0, 1, 0], :, [1, 0, 1]] * weights).sum().backward()
        self.same(
            x.grad, [[[0.0, 8.0], [0.0, 10.0], [0.0, 12.0]], [[4.0, 0.0], [5.0, 0.0], [6.0, 0.0]]]
        )

    def test_what_is_no_index(self):
        x = self.x
        self.refused(IndexError, lambda: x[2], "axis 0", "-2 to 1", "2")
        self.refused(IndexError, lambda: x[0, -4], "axis 1")
        self.refused(IndexError, lambda: x[0, 0, 0], "at most 2 indices")
        self.refused(IndexError, lambda: x[..., ...], "one Ellipsis")
        self.refused(IndexError, lambda: x[tenon.tensor([True])], "mask")
        self.refused(TypeError, lambda: x[1.0], "float")
        self.refused(TypeError, lambda: x["a"], "str")
        self.refused(TypeError, lambda: x[tenon.tensor([1.0])], "integers or bools")
        self.refused(ValueError, lambda: x[::0], "step")
        self.refused(tenon.DataError, lambda: x[tenon.tensor([2])], "2")
        self.refused(tenon.ShapeError, lambda: x[[0, 1], [0, 1, 2]], "broadcast")
        self.assertRaises(TypeError, lambda: x.__delitem__(0))


class Writing(Case):
    def test_into_views(self):
        x = tenon.full([2, 3], 0)
        x[0] = 1
        x[1, ::-2] = tenon.tensor([7, 8])
        self.same(x, [[1, 1, 1], [8, 0, 7]])
        x[:, 1] = [5, 6]
        x[...] += 1
        self.same(x, [[2, 6, 2], [9, 7, 8]])
        x[0, 0] = 2.9  # cast, as NumPy does
        x[-1] = [[1, 2, 3]]
        self.same(x, [[2, 6, 2], [1, 2, 3]])
        x[:] = x[::-1]  # as if all were read first
        self.same(x, [[1, 2, 3], [2, 6, 2]])

    def test_at_tensors_and_masks(self):
        x = tenon.full([2, 3], 0)
        x[x == 0] = 1
        x[[0, 1], [0, 2]] = tenon.tensor([5, 6])
        self.same(x, [[5, 1, 1], [1, 1, 6]])
        x[:, tenon.tensor([0, -1])] = tenon.tensor([[10, 20], [30, 40]])
        self.same(x, [[10, 1, 20], [30, 1, 40]])
        x[tenon.tensor([False, True])] = tenon.tensor([7, 8, 9])
        x[0, [True, False, True]] = 0
        self.same(x, [[0, 1, 0], [7, 8, 9]])

    def test_at_tensors_apart(self):
        x = tenon.full([2, 3, 2], 0)
        x[[0, 1], :, [1, 0]] = tenon.tensor([[1, 2, 3], [4, 5, 6]])
        self.same(x, [[[0, 1], [0, 2], [0, 3]], [[4, 0], [5, 0], [6, 0]]])
        x[1, :, [1]] = [7, 8, 9]  # broadcast to [1, 3]
        x[[0], :, 0] = -1
        self.same(x, [[[-1, 1], [-1, 2], [-1, 3]], [[4, 7], [5, 8], [6, 9]]])
        x[[0, 1], :, [1, 0]] = [[10], [20]]
        self.same(x, [[[-1, 10], [-1, 10], [-1, 10]], [[20, 7], [20, 8], [20, 9]]])

    def test_at_masks_of_rank_0(self):
        x = tenon.full([2, 2], 0)
        x[False] = 9
        x[tenon.tensor(False), 0] = 9
        self.same(x, [[0, 0], [0, 0]])
        x[True] = tenon.tensor([1, 2])
        self.same(x, [[1, 2], [1, 2]])
        x[1, tenon.tensor(True)] = 5
        self.same(x, [[1, 2], [5, 5]])
        number = tenon.tensor(3)
        number[number > 2] = 4
        number[number > 4] = 0
        self.same(number, 4)

    def test_what_cannot_be_written(self):
        x = tenon.full([2, 3], 0)
        self.refused(ValueError, lambda: x.__setitem__(0, tenon.tensor([1, 2])))
        self.refused(TypeError, lambda: x.__setitem__(0, "a"))
        self.refused(IndexError, lambda: x.__setitem__(2, 1))
        leaf = tenon.tensor([1.0, 2.0], requires_grad=True)
        self.refused(tenon.GradError, lambda: leaf.__setitem__(0, 1.0))
        with tenon.no_grad:
            leaf[0] = 5.0
        self.same(leaf, [5.0, 2.0])
        self.same(x, [[0, 0, 0], [0, 0, 0]])


if __name__ == "__main__":
    unittest.main()
