const rounds = 7

/**
 * Returns how many times as long `work` takes for four times the size: about 4 if its time is linear, about 16 if it is quadratic.
 * Compares the least CPU time of several rounds, so that other processes and compilation do not count.
 */
export function timeGrowth(size: number, work: (size: number) => unknown): number {
  const leastUs = { [size]: Number.POSITIVE_INFINITY, [4 * size]: Number.POSITIVE_INFINITY }
  for (let round = 0; round < rounds; round++)
    for (const [length, us = 0] of Object.entries(leastUs)) {
      const start = process.cpuUsage()
      work(Number(length))
      const { user, system } = process.cpuUsage(start)
      leastUs[length] = Math.min(us, user + system)
    }
  return (leastUs[4 * size] ?? 0) / (leastUs[size] ?? 0)
}
