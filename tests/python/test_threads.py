# SPDX-License-Identifier: Apache-2.0
# tests/python/test_threads.py: how many compute threads work, changed while others compute.
import threading
import unittest

from support import Case, tenon


def stated(what="threads"):
    return tenon.query("environment")[what]


def work():
    x = tenon.full((200, 300), 1.25) * tenon.full((300,), 0.5)
    return (x @ x.T).sin().sum(axes=0).tolist()


class Threads(Case):
    def setUp(self):
        self.addCleanup(tenon.set_threads, 0)

    def test_the_number_changes(self):
        available = stated("available_cpus")
        for threads in (1, available):
            tenon.set_threads(threads)
            self.assertEqual(stated(), threads)
        tenon.set_threads(1)
        tenon.set_threads(0)
        self.assertEqual(stated(), available)

    def test_wrong_numbers(self):
        before = stated()
        for threads in (-1, -(2**40), 2**31, 2**40):
            self.refused(tenon.ArgumentError, lambda: tenon.set_threads(threads), "threads")
        self.assertRaises(OverflowError, tenon.set_threads, 2**70)
        for threads in ("2", 1.5, None):
            self.assertRaises(TypeError, tenon.set_threads, threads)
        self.assertEqual(stated(), before)

    def test_it_changes_while_others_compute(self):
        expected = work()
        wrong = []

        def compute():
            for _ in range(8):
                if work() != expected:
                    wrong.append(threading.current_thread().name)

        others = [threading.Thread(target=compute) for _ in range(3)]
        for each in others:
            each.start()
        while any(each.is_alive() for each in others):
            for threads in range(1, stated("available_cpus") + 1):
                tenon.set_threads(threads)
        for each in others:
            each.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
