// The protocol of tc-bench's workers (tools/bench/session.cc): a line of JSON answers each one from standard input.
import fs from 'node:fs';
import readline from 'node:readline';

// `check` throws what keeps the engine from running here; `load` and `run` get their requests.
export async function serve({ check, load, run }) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      const request = JSON.parse(line);
      answer = (await { check, load, run }[request.op](request)) ?? {};
    } catch (error) {
      answer = { error: String(error.message ?? error).split('\n')[0] };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

// Some runtimes take any number of threads and start one.
export function refuseThreads({ name, mostThreads = Infinity }, threads) {
  if (threads > mostThreads) throw new Error(`${name} has one thread`);
}

// The most memory that a process has had, in MB.
export function peakMb(pid) {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(kb) / 1024;
}
