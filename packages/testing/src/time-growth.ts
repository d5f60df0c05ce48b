const rounds = 7

/**
 * Returns how many times as long `work` takes for four times the size: about 4 if its time is
 * linear, about 16 if it is quadratic. Compares the least CPU time of several rounds, so that other
 * threads, other processes and compilation do not count.
 */
export function timeGrowth(size: number, work: (size: number) => unknown): number {
  const times = Array.from({ length: rounds }, () => [cpuTimeOf(() => work(size)), cpuTimeOf(() => work(4 * size))])
  const [one, four] = [0, 1].map(at => Math.min(...times.map(pair => pair[at] ?? 0)))
  return (four ?? 0) / (one ?? 0)
}

function cpuTimeOf(work: () => unknown): number {
  const start = threadTime()
  work()
  return threadTime() - start
}

const cell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Returns the CPU time of this thread. Linux brings it up to date when the thread sleeps, else only
 * every few milliseconds.
 */
function threadTime(): number {
  Atomics.wait(cell, 0, 0, 1)
  const { user, system } = process.threadCpuUsage()
  return user + system
}
