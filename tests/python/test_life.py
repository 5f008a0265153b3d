# SPDX-License-Identifier: Apache-2.0
# tests/python/test_life.py: what lives how long: references, threads, processes, the import itself.
import gc
import os
import signal
import sys
import threading
import time
import unittest

from support import Case, live, run_python, tenon


class References(Case):
    """Python's own counts return to where they were, also for calls that fail."""

    def calls(self):
        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        (x @ x + 1).sum().backward()
        tenon.value_and_grad(lambda w: (w * w).sum())(x)
        y = x.detach()
        y[0] = 1.0
        y[[0, 1], [1, 0]] += 2
        memoryview(y).release()
        tenon.from_dlpack(y)
        y.__dlpack__(), y.__dlpack__(max_version=(1, 0))
        layer = tenon.nn.linear(inputs=2, outputs=1)
        layer(y), layer.weight, repr(layer)
        for rows, _ in tenon.data.batches(tenon.data.tensors(y, y), 1, seed=1):
            rows.tolist()
        tenon.topk(y, k=1)
        tenon.stack([y, y])
        repr(y), y.tolist(), y.shape, y.dtype, y.device, list(y)
        for broken in (
            lambda: tenon.add(x, {1}),
            lambda: tenon.add(x, x, c=1),
            lambda: x + tenon.tensor([1.0, 2.0, 3.0]),
            lambda: tenon.sum(x, axes="1"),
            lambda: x[5],
            lambda: tenon.tensor([[1], [1, 2]]),
            lambda: x.no_such_op,
            lambda: layer.no_such_tensor,
            lambda: layer(x, x),
            lambda: x.__dlpack__(),
            lambda: tenon.from_dlpack(x),
            lambda: tenon.data.batches(y, 0),
            lambda: tenon.stack([y, 1]),
            lambda: tenon.topk(y, k=9, out=(y, y)),
        ):
            try:
                broken()
            except Exception:
                continue
            self.fail("nothing was refused")

    def test_what_is_kept_for_reuse_is_given_back(self):
        kept = tenon.full([1 << 18], 1.0)
        tenon.full([1 << 20], 1.0).sum().item()
        before = tenon.stats()
        self.assertGreaterEqual(tenon.release_cache(), 4 << 20)
        after = tenon.stats()
        self.assertEqual(after["bytes_reserved"], after["bytes_live"])
        self.assertEqual(after["bytes_live"], before["bytes_live"])
        self.assertEqual(tenon.release_cache(), 0)
        self.assertEqual(kept[0].item(), 1.0)

    def test_counts_return(self):
        for _ in range(3):
            self.calls()
        watched = (tenon.Tensor, tenon.Op, tenon.float32, tenon.add, None, True)
        gc.collect()
        before, objects = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
        for _ in range(50):
            self.calls()
        gc.collect()
        for each, count in zip(watched, before, strict=True):
            self.assertLess(abs(sys.getrefcount(each) - count), 10, each)
        self.assertLess(abs(len(gc.get_objects()) - objects), 20)

    def test_many_tensors_at_once(self):
        kept = [tenon.full([1], i) for i in range(2000)]
        self.assertEqual([each.item() for each in kept], list(range(2000)))


class ThreadsOfPython(Case):
    def test_each_thread_has_a_context(self):
        shared = tenon.full([100, 100], 1.0)
        failures, total = [], []

        def work(number):
            try:
                tenon.seed(number)
                drawn = tenon.uniform(shape=[4]).tolist()
                tenon.seed(number)
                assert tenon.uniform(shape=[4]).tolist() == drawn
                with tenon.no_grad:
                    for _ in range(50):
                        total.append((shared @ shared).sum().item())
                x = tenon.tensor([float(number)], requires_grad=True)
                (x * x).sum().backward()
                assert x.grad.item() == 2 * number
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(set(total), {1e6})

    def test_a_list_may_change_while_it_is_read(self):
        parts = [tenon.full([300, 300], float(i)) for i in range(8)]
        stop = threading.Event()

        def change():
            while not stop.is_set():
                parts.pop()
                parts.append(tenon.full([300, 300], 1.0))

        thread = threading.Thread(target=change)
        thread.start()
        for _ in range(60):
            tenon.concat(parts, axis=0)
        stop.set()
        thread.join()

    def test_tensors_outlive_their_thread(self):
        made = []
        thread = threading.Thread(target=lambda: made.append(tenon.tensor([1.0]) * 2))
        thread.start()
        thread.join()
        self.same(made[0] + 1, [3.0])

    def test_memory_is_given_back_by_another_thread(self):
        numbers = bytearray(8)
        made = [tenon.asarray(numbers)]
        thread = threading.Thread(target=made.clear)
        thread.start()
        thread.join()
        numbers.extend(b"1")  # an error while the buffer is lent


class Processes(Case):
    def test_fork(self):
        x = tenon.full([300, 300], 1.0)
        expected = (x @ x).sum().item()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if (x @ x).sum().item() == expected else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual((x @ x).sum().item(), expected)

    def test_import_looks_for_nothing(self):
        done = run_python(
            "import sys; bare = set(sys.modules); import tenon; from tenon import _core;"
            "print(_core.is_started(), sorted(m for m in set(sys.modules) - bare"
            " if not m.startswith('tenon')))"
        )
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.startswith("False"), done.stdout)
        for heavy in ("numpy", "json", "re'", "inspect", "importlib.metadata", "torch"):
            self.assertNotIn(heavy, done.stdout)

    def test_exit_with_everything_alive(self):
        done = run_python(
            "import tenon, threading\n"
            "x = tenon.tensor([1.0], requires_grad=True)\n"
            "y = x * 2\n"
            "y.add_hook(lambda g: g)\n"
            "shared = tenon.asarray(bytearray(8))\n"
            "view = memoryview(tenon.full([3], 1))\n"
            "class Late:\n"
            "    def __del__(self): self.t + 1\n"
            "late = Late(); late.t = x.detach(); late.me = late\n"
            "threading.Thread(target=lambda: tenon.full([2], 1.0)).start()\n"
            "print('done')"
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def test_calls_while_it_ends(self):
        """The table of docs/other-languages.md."""
        done = run_python(
            "import atexit, sys, threading\n"
            "def tell(when): sys.stderr.write(f'{when}: {(tenon.full([], 2.0) + 3).item():g}\\n')\n"
            "atexit.register(tell, 'early handler')\n"
            "import tenon\n"
            "class Teller:\n"
            "    def __init__(self, when): self.when = when\n"
            "    def __del__(self, tell=tell, tenon=tenon): tell(self.when)\n"
            "local = threading.local()\n"
            "def run():\n"
            "    local.early = Teller('early local')\n"
            "    tell('thread')\n"
            "    local.late = Teller('late local')\n"
            "thread = threading.Thread(target=run); thread.start(); thread.join(); del thread\n"
            "tell('before')\n"
            "atexit.register(tell, 'late handler')\n"
            "kept = Teller('global')\n"
            "cycle = Teller('cycle'); cycle.me = cycle\n"
        )
        self.assertEqual(done.returncode, 0, done)
        names = ["thread", "early local", "late local", "before", "late handler", "early handler"]
        lines = done.stderr.splitlines()
        self.assertEqual(lines[:6], [f"{name}: 5" for name in names])
        self.assertEqual(set(lines[6:]), {"global: 5", "cycle: 5"})

    def test_a_thread_that_is_still_running_does_not_end_the_process(self):
        done = run_python(
            "import tenon, threading, time\n"
            "x = tenon.full([200, 200], 1.0); x.requires_grad = True\n"
            "(x @ x).sum().backward()\n"  # a thread stopped in an import leaves Python's own
            "def run():\n"
            "    while True: (x @ x).sum().backward()\n"
            "for _ in range(3): threading.Thread(target=run, daemon=True).start()\n"
            "time.sleep(0.1)\n"
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_options_come_before_use(self):
        done = run_python(
            "import tenon\n"
            "tenon.configure(threads=1, check='layout', exclude=['tenon.cpu'])\n"
            "try: tenon.configure(policy='none')\n"
            "except ValueError: pass\n"
            "print(tenon.query('environment')['threads'], tenon.plugins()['tenon.cpu'])\n"
            "try: tenon.configure(threads=2)\n"
            "except tenon.StateError as error: print(error.hint)\n"
        )
        self.assertEqual(done.stderr, "")
        self.assertEqual(
            done.stdout, "1 refused\ncall tenon.configure(...) directly after the import\n"
        )

    def test_a_broken_plugin_changes_nothing(self):
        done = run_python(
            "import os, tempfile, tenon\n"
            "folder = tempfile.mkdtemp()\n"
            "os.mkdir(folder + '/acme.broken')\n"
            "open(folder + '/acme.broken/plugin.json', 'w').write('{')\n"
            "tenon.configure(plugin_paths=[folder])\n"
            "print((tenon.tensor([1]) + 1).tolist())\n"
        )
        self.assertEqual((done.stdout, done.stderr), ("[2]\n", ""))


class Interrupts(Case):
    def test_ctrl_c_ends_a_long_call(self):
        x = tenon.tensor([1.0], requires_grad=True)
        y = x
        for _ in range(400_000):
            y = y * 1.0
        finished = False
        timer = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            y.backward()
            finished = True
            time.sleep(1)
        timer.join()
        self.assertFalse(finished)
        self.same(x.detach() + 1, [2.0])  # the interrupt ended one call, no other
        del y

    def test_the_handler_is_pythons_again(self):
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            x = tenon.full([1000, 100], 1.0)
            (x + 1).sum()
            os.kill(os.getpid(), signal.SIGINT)
            self.assertEqual(seen, [1])
        finally:
            signal.signal(signal.SIGINT, before)


class Baseline(Case):
    def test_live_objects_are_counted(self):
        before = live()["tensors"]
        x = tenon.full([2], 1.0)
        self.assertEqual(live()["tensors"], before + 1)
        del x
        self.assertEqual(live()["tensors"], before)


if __name__ == "__main__":
    unittest.main()
