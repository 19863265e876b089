"""tc-serve against a client that knows nothing of it: Python's own HTTP library.

serve_test.py TC_SERVE [--requests N]    N requests of the last test, among them broken ones
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

SERVE = os.path.abspath(sys.argv.pop(1))
REQUESTS = 400
if "--requests" in sys.argv:
    at = sys.argv.index("--requests")
    REQUESTS = int(sys.argv[at + 1])
    del sys.argv[at : at + 2]

# Row by row, so that requests can be joined; and one whose rows depend on each other.
ROWS = """graph @main(%x: f32[N,3], %n: i64[N,1]) {
  %0 = relu %x : f32[N,3]
  %1 = cast %n {to = f32} : f32[N,1]
  %2 = add %0, %1 : f32[N,3]
  return %2, %n
}
"""
CENTRED = """graph @main(%x: f32[N,3]) {
  %a = constant dense<0> : i64[1]
  %0 = reduce_mean %x, %a : f32[1,3]
  %1 = sub %x, %0 : f32[N,3]
  return %1
}
"""
WORDS = """graph @main(%s: str[N]) {
  %0 = string_concat %s, %s : str[N]
  return %0
}
"""


class Server:
    def __init__(self, *args):
        self.folder = tempfile.mkdtemp()
        for name, text in (("rows", ROWS), ("centred", CENTRED), ("words", WORDS)):
            pathlib.Path(self.folder, name + ".tc").write_text(text)
        self.process = subprocess.Popen(
            [SERVE, "rows.tc", "centred.tc", "words.tc", "words:2=words.tc", "words:10=words.tc", "--port", "0", *args],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.communicate()[1])
        self.port = int(line.strip().rsplit(":", 1)[1])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.log = self.process.communicate(timeout=60)[1]
        shutil.rmtree(self.folder)
        return self.process.returncode

    def call(self, method, path, body=None, headers=None, connection=None):
        c = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        c.request(method, path, body, headers or {})
        answer = c.getresponse()
        data = answer.read()
        if not connection:
            c.close()
        return answer.status, dict(answer.getheaders()), data

    def json(self, method, path, body=None, connection=None):
        text = None if body is None else json.dumps(body)
        status, _, data = self.call(method, path, text, connection=connection)
        return status, json.loads(data) if data else None


def rows(x, n, **more):
    return {"inputs": [{"name": "x", "shape": [len(x), 3], "datatype": "FP32", "data": x},
                       {"name": "n", "shape": [len(n), 1], "datatype": "INT64", "data": n}], **more}


def memory(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/statm").read_text()
    return int(text.split()[1]) * os.sysconf("SC_PAGESIZE")


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--max-request", "1mb")

    @classmethod
    def tearDownClass(cls):
        status = cls.server.end()
        assert status == 0, f"exit status {status}"
        assert "rows, version 1, in batches" in cls.server.log, cls.server.log
        assert re.search("centred, version 1, no batches: rows of output '.*' depend", cls.server.log), cls.server.log

    def refused(self, status, text, method, path, body=None, headers=None):
        got, _, data = self.server.call(method, path, body, headers)
        self.assertEqual(got, status, data)
        self.assertIn(text, json.loads(data)["error"])

    def test_server(self):
        status, answer = self.server.json("GET", "/v2")
        self.assertEqual((status, answer["name"], answer["extensions"]), (200, "tc-serve", ["binary_tensor_data"]))
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/rows/ready", "/v2/models/words/versions/2/ready"):
            self.assertEqual(self.server.call("GET", path)[0], 200, path)

    def test_metadata(self):
        status, answer = self.server.json("GET", "/v2/models/rows")
        self.assertEqual(status, 200)
        self.assertEqual((answer["name"], answer["versions"]), ("rows", ["1"]))
        self.assertEqual(answer["inputs"], [{"name": "x", "datatype": "FP32", "shape": [-1, 3]},
                                            {"name": "n", "datatype": "INT64", "shape": [-1, 1]}])
        self.assertEqual(len(answer["outputs"]), 2)
        # Numbers are ordered as numbers.
        self.assertEqual(self.server.json("GET", "/v2/models/words")[1]["versions"], ["1", "2", "10"])

    def test_infer(self):
        body = rows([[1, -2, 0.5], [4, 5, -6]], [10, 20], id="a")
        status, answer = self.server.json("POST", "/v2/models/rows/infer", body)
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["model_name"], answer["model_version"], answer["id"]), ("rows", "1", "a"))
        first, second = answer["outputs"]
        self.assertEqual((first["datatype"], first["shape"], first["data"]), ("FP32", [2, 3], [11, 10, 10.5, 24, 25, 20]))
        self.assertEqual(second["data"], [10, 20])

    def test_outputs_that_are_asked_for(self):
        name = self.server.json("GET", "/v2/models/rows")[1]["outputs"][1]["name"]
        status, answer = self.server.json("POST", "/v2/models/rows/versions/1/infer",
                                          rows([[1, 2, 3]], [7], outputs=[{"name": name}]))
        self.assertEqual((status, [o["name"] for o in answer["outputs"]]), (200, [name]))

    def test_binary(self):
        x, n = struct.pack("<3f", 1, -1, 2), struct.pack("<q", 5)
        head = json.dumps({
            "inputs": [{"name": "x", "shape": [1, 3], "datatype": "FP32", "parameters": {"binary_data_size": len(x)}},
                       {"name": "n", "shape": [1, 1], "datatype": "INT64", "parameters": {"binary_data_size": len(n)}}],
            "parameters": {"binary_data_output": True}}).encode()
        key = "Inference-Header-Content-Length"
        status, headers, data = self.server.call("POST", "/v2/models/rows/infer", head + x + n, {key: str(len(head))})
        self.assertEqual(status, 200, data)
        size = int(headers[key])
        answer = json.loads(data[:size])
        self.assertEqual([o["parameters"]["binary_data_size"] for o in answer["outputs"]], [12, 8])
        self.assertEqual(struct.unpack("<3fq", data[size:]), (6, 5, 7, 5))
        for wrong in (head + x, head + x + n + b"!"):
            self.refused(400, "bytes", "POST", "/v2/models/rows/infer", wrong, {key: str(len(head))})
        self.refused(400, "Content-Length is 999999", "POST", "/v2/models/rows/infer", head, {key: "999999"})
        self.refused(400, "no number", "POST", "/v2/models/rows/infer", head, {key: "many"})

    def test_strings(self):
        words = {"inputs": [{"name": "s", "shape": [2], "datatype": "BYTES", "data": ["a", "\u00fc\""]}]}
        status, answer = self.server.json("POST", "/v2/models/words/infer", words)
        self.assertEqual((status, answer["model_version"], answer["outputs"][0]["data"]), (200, "10", ["aa", "\u00fc\"\u00fc\""]))
        raw = b"".join(struct.pack("<I", len(w)) + w for w in (b"xy", b""))
        head = json.dumps({"inputs": [{"name": "s", "shape": [2], "datatype": "BYTES",
                                       "parameters": {"binary_data_size": len(raw)}}]}).encode()
        status, _, data = self.server.call("POST", "/v2/models/words/infer", head + raw,
                                           {"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual((status, json.loads(data)["outputs"][0]["data"]), (200, ["xyxy", ""]))

    def test_bad_requests(self):
        path = "/v2/models/rows/infer"
        good = rows([[1, 2, 3]], [1])
        self.refused(400, "no JSON object", "POST", path, "{")
        self.refused(400, "no JSON object", "POST", path, "[" * 100000)
        self.refused(400, "no JSON object", "POST", path, b"\xff\xfe")
        self.refused(400, "'inputs'", "POST", path, "{}")
        self.refused(400, "'n' is missing", "POST", path, json.dumps({"inputs": good["inputs"][:1]}))
        self.refused(400, "given twice", "POST", path, json.dumps({"inputs": good["inputs"][:1] * 2}))
        for change, text in (({"name": "z"}, "no input 'z'; it has: x, n"), ({"datatype": "FP64"}, "is FP32, not FP64"),
                             ({"shape": [1, -3]}, "-3 is no extent"), ({"shape": [2, 3]}, "3 elements in 'data'"),
                             ({"shape": [1 << 40, 1 << 40]}, "input 'x'"), ({"shape": [1] * 40}, "40 dimensions"),
                             ({"data": ["a", 2, 3]}, "is no element"), ({"data": None}, "'data' should be"),
                             ({"shape": [3, 1]}, "input 'n' is i64[1,1]"), ({"parameters": 3}, "'parameters'")):
            body = json.loads(json.dumps(good))
            body["inputs"][0].update(change)
            self.refused(400, text, "POST", path, json.dumps(body))
        body = json.loads(json.dumps(good))
        body["inputs"][1]["data"] = [1 << 63]
        self.refused(400, "is no element", "POST", path, json.dumps(body))
        self.refused(400, "no output 'q'", "POST", path, json.dumps({**good, "outputs": [{"name": "q"}]}))
        # A model that is not batched says itself what it takes.
        wide = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]}
        self.refused(400, "x", "POST", "/v2/models/centred/infer", json.dumps(wide))

    def test_other_paths(self):
        self.refused(404, "no model 'none'", "GET", "/v2/models/none")
        self.refused(404, "no model 'none'", "POST", "/v2/models/none/infer", "{}")
        self.refused(404, "no version '3'", "GET", "/v2/models/words/versions/3")
        self.refused(404, "nothing", "GET", "/v3")
        self.refused(404, "nothing", "GET", "/v2/models/rows/nothing")
        self.refused(404, "nothing", "DELETE", "/v2/models/rows")
        self.refused(404, "no model", "GET", "/v2/models/" + "a" * 8000)

    def test_large_requests(self):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.refused(413, "larger", "POST", "/v2/models/rows/infer", b" " * (2 << 20))
        self.test_infer()

    def test_deadline(self):
        body = rows([[1, 2, 3]], [1], parameters={"timeout": 0})
        self.assertEqual(self.server.json("POST", "/v2/models/rows/infer", body)[0], 504)

    def test_metrics(self):
        self.test_infer()
        status, headers, data = self.server.call("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertIn("text/plain", headers["Content-Type"])
        line = re.compile(r"(# (HELP|TYPE) \w+ .*|\w+(\{(\w+=\"[^\"]*\",?)*\})? [-+.e\d]+)$")
        for text in data.decode().splitlines():
            self.assertRegex(text, line)
        self.assertRegex(data.decode(), r'tc_requests_total\{model="rows",version="1",status="200"\} [1-9]')

    def test_batches_are_the_same_as_single_runs(self):
        problems = []

        def client(seed):
            choose = random.Random(seed)
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            for _ in range(20):
                count = choose.randint(1, 4)
                x = [[choose.randint(-9, 9) for _ in range(3)] for _ in range(count)]
                n = [choose.randint(-9, 9) for _ in range(count)]
                status, answer = self.server.json("POST", "/v2/models/rows/infer", rows(x, n), connection)
                expected = [max(v, 0) + k for row, k in zip(x, n) for v in row]
                if status != 200 or answer["outputs"][0]["data"] != expected:
                    problems.append((x, n, answer))
            connection.close()

        threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(problems, [])


class Troubled(unittest.TestCase):
    def test_killed_clients_and_broken_requests(self):
        """Answers stay right, and memory flat, however many requests are broken off or make no sense."""
        server = Server("--connections", "16")
        choose = random.Random(1)
        good = json.dumps(rows([[1, -2, 3]], [4])).encode()
        head = b"POST /v2/models/rows/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"

        def broken():
            raw = (head % len(good)) + good
            what = choose.randrange(4)
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as s:
                if what == 0:  # the client is gone in the middle
                    s.sendall(raw[: choose.randrange(1, len(raw))])
                elif what == 1:  # it does not wait for the answer
                    s.sendall(raw)
                elif what == 2:  # bytes changed
                    bad = bytearray(raw)
                    for _ in range(5):
                        bad[choose.randrange(len(bad))] = choose.randrange(256)
                    s.sendall(bytes(bad))
                else:  # a tensor that says that it is large
                    body = good.replace(b"[1, 3]", b"[1000000000, 3]")
                    s.sendall((head % len(body)) + body)

        before = 0
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        for i in range(REQUESTS):
            with contextlib.suppress(ConnectionError):
                broken()
            if i % 4 == 0:
                status, _, data = server.call("POST", "/v2/models/rows/infer", good, connection=connection)
                self.assertEqual((status, json.loads(data)["outputs"][0]["data"]), (200, [5, 4, 7]))
            if i == REQUESTS // 4:
                before = memory(server)
        self.assertLess(memory(server), before * 1.1 + (8 << 20))
        connection.close()
        self.assertEqual(server.end(), 0)

    def test_graceful_stop(self):
        """What was taken is answered, although the server was told to end."""
        server = Server("--batch-delay", "500000")
        body = json.dumps(rows([[1, 2, 3]], [0])).encode()
        sockets = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(4)]
        for s in sockets:
            s.sendall(b"POST /v2/models/rows/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        while b'tc_requests_in_flight{model="rows",version="1"} 4' not in server.call("GET", "/metrics")[2]:
            pass
        self.assertEqual(server.end(), 0)
        for s in sockets:
            self.assertIn(b"200 OK", s.recv(4096))
            s.close()

    def test_full_queue(self):
        server = Server("--queue", "1", "--batch-delay", "200000", "--max-batch", "2")
        statuses = []
        body = rows([[1, 2, 3], [4, 5, 6]], [0, 0])
        threads = [threading.Thread(target=lambda: statuses.append(server.json("POST", "/v2/models/rows/infer", body)[0]))
                   for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(server.end(), 0)
        self.assertIn(200, statuses)
        self.assertEqual(set(statuses) - {200, 503}, set())

    def test_command_line(self):
        def message(*args):
            run = subprocess.run([SERVE, *args], capture_output=True, text=True)
            return run.returncode, run.stderr

        status, text = message("/nowhere/a.onnx")
        self.assertEqual(status, 1)
        self.assertIn("/nowhere/a.onnx", text)
        self.assertEqual(message()[0], 2)
        self.assertEqual(message("a.onnx", "--port", "99999")[0], 2)
        self.assertIn("tc-serve (tc) ", subprocess.run([SERVE, "--version"], capture_output=True, text=True).stdout)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate")
    def test_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-subj", "/CN=localhost", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"],
                           check=True, capture_output=True)
            server = Server("--certificate", folder + "/cert.pem", "--key", folder + "/key.pem")
            context = ssl.create_default_context(cafile=folder + "/cert.pem")
            context.check_hostname = False
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=30)
            status, answer = server.json("POST", "/v2/models/rows/infer", rows([[1, 2, 3]], [1]), connection)
            self.assertEqual((status, answer["outputs"][0]["data"]), (200, [2, 3, 4]))
            connection.close()
            self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
