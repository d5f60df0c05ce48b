import autocannon from 'autocannon'
import { cpuTimeUs } from './cpu-time.ts'

/** One round of load: what came back, and what each process spent on a request. */
export interface Round {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Answers that were not 200, and calls without one. */
  bad: number
  cpuUsPerRequest: Record<string, number>
}

interface Load {
  url: string
  headers: Record<string, string>
  seconds: number
  connections: number
  /** Whose processor time is counted, by name. */
  processes: Record<string, number>
}

/** Keeps so many calls in flight for so many seconds. */
export async function measureLoad({ url, headers, seconds, connections, processes }: Load): Promise<Round> {
  const before = spent(processes)
  const result = await autocannon({ url, headers, duration: seconds, connections })
  const after = spent(processes)
  const total = result.requests.total
  return {
    requestsPerSecond: total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    bad: result.non2xx + result.errors + result.timeouts,
    cpuUsPerRequest: Object.fromEntries(
      Object.keys(processes).map(name => [name, ((after[name] ?? 0) - (before[name] ?? 0)) / total]),
    ),
  }
}

const spent = (processes: Record<string, number>) =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuTimeUs(pid)]))
