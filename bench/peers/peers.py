"""Times tc beside NumPy, SciPy, PyTorch and ONNX Runtime, where they are installed: `./dev bench --peers` runs it.

Each case of cases.py runs on every engine that it has a function for. Blocks of calls take turns, so that what else the
machine does meets all of them; a figure is the shortest block's time of a call. A ratio is the best peer's time by tc's:
below 1 the peer is faster. Results are compared before anything is timed.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --peers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--group", action="append", help="only groups whose name has this in it; may be repeated")
    parser.add_argument("--case", action="append", help="only cases whose name has this in it; may be repeated")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ms", type=float, default=20, help="milliseconds of a block")
    parser.add_argument("--blocks", type=int, default=7, help="blocks of each engine")
    parser.add_argument("--cpu-time", action="store_true", help="count processor time, where others use the machine, too")
    parser.add_argument("--csv", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--md", type=pathlib.Path, help="write the table as Markdown to this file")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the build (default: build)")
    return parser.parse_args()


def chosen(name, parts):
    return not parts or any(part in name for part in parts)


def calls_of(call, seconds, clock):
    """How many calls take about that long."""
    call()
    begin = clock()
    call()
    return max(1, min(100000, int(seconds / max(1e-7, clock() - begin))))


def measure(engines, seconds, blocks, clock):
    """Seconds of a call, by engine."""
    counts = {name: calls_of(call, seconds, clock) for name, call in engines.items()}
    best = dict.fromkeys(engines, math.inf)
    for _ in range(blocks):
        for name, call in engines.items():
            begin = clock()
            for _ in range(counts[name]):
                call()
            best[name] = min(best[name], (clock() - begin) / counts[name])
    return best


class Row:
    def __init__(self, group, name, seconds, error=""):
        self.group, self.name, self.seconds, self.error = group, name, seconds, error
        peers = {k: v for k, v in seconds.items() if k != "tc"}
        self.peer = min(peers, key=peers.get) if peers else ""
        self.ratio = peers[self.peer] / seconds["tc"] if peers and "tc" in seconds else None

    def cells(self):
        ms = [f"{1e3 * self.seconds[e]:.4g}" if e in self.seconds else "" for e in ("tc", "numpy", "scipy", "torch", "ort")]
        return [self.group, self.name, *ms, self.peer, f"{self.ratio:.2f}" if self.ratio else self.error]


HEAD = ["group", "case", "tc ms", "numpy ms", "scipy ms", "torch ms", "ort ms", "best peer", "ratio"]


def bench(options, model, engines):
    """What tc-bench tells of a model: [(seconds by engine, error)]."""
    tool = options.build / "bin" / "tc-bench"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [tool, model, "--engines", engines, "--threads", str(options.threads), "--loads", "1",
                   "--min-time", f"{options.ms * options.blocks / 1e3:g}", "--json", file.name]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        report = pathlib.Path(file.name).read_text()
    if not report:
        return [({}, (done.stderr or done.stdout).strip().split("\n")[-1])]
    found = []
    for result in json.loads(report)["results"]:
        engines = result["engines"]
        errors = [x["error"] for x in engines.values() if "error" in x]
        found.append(({e: x["p10_ms"] / 1e3 for e, x in engines.items() if "p10_ms" in x}, errors[0] if errors else ""))
    return found


def has_ort(options):
    """Is there what runs a model in ONNX Runtime of the npm package?"""
    if (options.build / "bin" / "tc-bench").exists() and (ROOT / "node_modules" / "onnxruntime-node").exists():
        return True
    print("no ONNX Runtime: tc-bench or node_modules/onnxruntime-node is missing", file=sys.stderr)
    return False


def against_ort(options, group, models):
    """Rows of models, [(name, what tc-bench calls it)], that tc-bench times beside ONNX Runtime."""
    if has_ort(options):
        for name, model in models:
            for seconds, error in bench(options, model, "tc,ort"):
                yield Row(group, name, seconds, error)


def case_against_ort(options, case):
    """The case in tc beside the file that it is exported to, in ONNX Runtime."""
    if not has_ort(options):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{case.name}.tc"
        path.write_text(case.text([x() if callable(x) else x for x in case.inputs]))
        exported = path.with_suffix(".onnx")
        command = [options.build / "bin" / "tc-opt", path, "--target", "ort", "-o", exported]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            yield Row(f"{case.group}, as a file", case.name, {}, done.stderr.strip().split("\n")[0])
            return
        (native, failed), (peer, refused) = bench(options, path, "tc")[0], bench(options, exported, "ort")[0]
        yield Row(f"{case.group}, as a file", case.name, {**native, **peer}, failed or refused)


def markdown(rows):
    yield "| " + " | ".join(HEAD) + " |"
    yield "|---|---|" + "---:|" * 5 + "---|---:|"
    for row in rows:
        yield "| " + " | ".join(row.cells()) + " |"


def conditions(cases, options):
    """What the figures of a table are of."""
    models = [x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo") if x.startswith("model name")]
    versions = [f"{engine} {version}" for engine, version in cases.versions().items()]
    clock = "processor time" if options.cpu_time else "elapsed time"
    return (
        f"`./dev bench --peers` on {models[0] if models else 'an unnamed machine'}, {options.threads} thread(s), {clock}; "
        f"{', '.join(versions)}. Ratio: the best peer's time by tc's; operators by elapsed time beside ONNX Runtime."
    )


def means_table(rows):
    yield "| group | geometric mean | least | cases |"
    yield "|---|---:|---:|---:|"
    for group, mean, least, count in means(rows):
        yield f"| {group} | {mean:.2f} | {least:.2f} | {count} |"


def means(rows):
    """Geometric means of the ratios, by group."""
    groups = {}
    for row in rows:
        if row.ratio:
            groups.setdefault(row.group, []).append(row.ratio)
    for group, ratios in groups.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        yield group, mean, min(ratios), len(ratios)


def main():
    options = arguments()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    sys.path.insert(0, str(options.build / "python"))
    import cases  # after the numbers of threads are set

    if options.cpu_time and options.threads != 1:
        sys.exit("--cpu-time is of one thread")
    rows = []
    print(" ".join(f"{h:>10}" for h in HEAD[2:]), " case")
    for row in cases_rows(cases, options):
        rows.append(row)
        cells = row.cells()
        print(" ".join(f"{c:>10}" for c in cells[2:]), "", f"{row.group}: {row.name}", flush=True)
    for group, mean, least, count in means(rows):
        print(f"{group}: geometric mean {mean:.2f}, least {least:.2f} of {count}")
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([HEAD, *(row.cells() for row in rows)])
    if options.md:
        options.md.write_text("\n".join([conditions(cases, options), "", *markdown(rows), "", *means_table(rows)]) + "\n")
    return 1 if any(row.error for row in rows) else 0


def cases_rows(cases, options):
    clock = time.process_time if options.cpu_time else time.perf_counter
    for case in cases.all_cases():
        if not chosen(case.group, options.group) or not chosen(case.name, options.case):
            continue
        try:
            engines = case.engines(options.threads)
        except Exception as error:  # one case that does not run is a row of the table, not its end
            yield Row(case.group, case.name, {}, str(error).split("\n")[0])
            continue
        yield Row(case.group, case.name, measure(engines, options.ms / 1e3, options.blocks, clock))
        if case.in_ort:
            yield from case_against_ort(options, case)
    if chosen("operators", options.group):
        lines = [(line, f"op:{line}") for line in cases.OPERATORS if chosen(line, options.case)]
        yield from against_ort(options, "operators", lines)


if __name__ == "__main__":
    sys.exit(main())
