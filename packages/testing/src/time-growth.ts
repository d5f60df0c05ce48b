const rounds = 7

/**
 * Returns how many times as long `work` takes for four times the size: about 4 if linear, about 16
 * if quadratic. Compares the least CPU time of several rounds, to exclude other processes and compilation.
 */
export function timeGrowth(size: number, work: (size: number) => unknown): number {
  const times = Array.from({ length: rounds }, () => [cpuTimeOf(() => work(size)), cpuTimeOf(() => work(4 * size))])
  const [one, four] = [0, 1].map(at => Math.min(...times.map(pair => pair[at] ?? 0)))
  return (four ?? 0) / (one ?? 0)
}

function cpuTimeOf(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return user + system
}
