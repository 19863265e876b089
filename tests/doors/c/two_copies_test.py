"""Two copies of the library in one process, as when two plug-ins each bring their own: both run, at once too, and one of
them works after the other is gone.

usage: two_copies_test.py LIBTC_C.SO
"""
import _ctypes
import ctypes
import os
import shutil
import sys
import tempfile
import threading

PROGRAM = b"""graph @main(%x: f32[N,64], %w: f32[64,64]) {
  %0 = matmul %x, %w : f32[N,64]
  %1 = tanh %0 : f32[N,64]
  return %1
}
"""
ROWS, WIDTH = 200, 64
F32 = 1


class Copy:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.lib.tc_last_message.restype = ctypes.c_char_p
        self.lib.tc_tensor_data.restype = ctypes.POINTER(ctypes.c_float)
        self.lib.tc_tensor_data.argtypes = [ctypes.c_void_p]
        options, function, self.compiled = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.lib.tc_options_create(ctypes.byref(options)))
        self.check(self.lib.tc_options_set(options, b"threads", b"2"))
        self.check(self.lib.tc_parse(PROGRAM, ctypes.byref(function)))
        self.check(self.lib.tc_compile(function, options, ctypes.byref(self.compiled)))
        self.lib.tc_options_release(options)
        self.lib.tc_function_release(function)

    def check(self, status):
        if status:
            raise SystemExit(f"status {status}: {self.lib.tc_last_message().decode()}")

    def tensor(self, rows, values):
        extents = (ctypes.c_int64 * 2)(rows, WIDTH)
        data = (ctypes.c_float * len(values))(*values)
        out = ctypes.c_void_p()
        self.check(self.lib.tc_tensor_create(F32, 2, extents, data, ctypes.byref(out)))
        return out

    def run(self):
        x = self.tensor(ROWS, [(i * 7 % 23 - 11) / 16 for i in range(ROWS * WIDTH)])
        w = self.tensor(WIDTH, [(i * 5 % 19 - 9) / 32 for i in range(WIDTH * WIDTH)])
        inputs, outputs = (ctypes.c_void_p * 2)(x, w), (ctypes.c_void_p * 1)()
        self.check(self.lib.tc_run(self.compiled, None, inputs, 2, outputs, 1))
        y = self.lib.tc_tensor_data(outputs[0])[: ROWS * WIDTH]
        for t in (x, w, ctypes.c_void_p(outputs[0])):
            self.lib.tc_tensor_release(t)
        return y

    def close(self):
        self.lib.tc_compiled_release(self.compiled)
        _ctypes.dlclose(self.lib._handle)


def main():
    with tempfile.TemporaryDirectory() as folder:
        second = os.path.join(folder, "second.so")
        shutil.copy(sys.argv[1], second)
        a, b = Copy(sys.argv[1]), Copy(second)
        place = lambda c: ctypes.cast(c.lib.tc_run, ctypes.c_void_p).value
        if place(a) == place(b):
            raise SystemExit("the linker took the copies for one library")
        expected = a.run()
        wrong = []

        def call(copy):
            for _ in range(20):
                if copy.run() != expected:
                    wrong.append(copy)

        threads = [threading.Thread(target=call, args=(c,)) for c in (a, b, a, b)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if wrong:
            raise SystemExit(f"{len(wrong)} runs gave something else")
        a.close()
        if b.run() != expected:
            raise SystemExit("another result after the first copy was closed")
        b.close()


main()
