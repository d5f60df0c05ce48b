import autocannon from 'autocannon'
import { cpuTimeUs } from './cpu-time.ts'

/** The result of one round of load: responses, and the CPU time of each process per request. */
export interface Round {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Calls with a status other than 200 or without a response. */
  bad: number
  cpuUsPerRequest: Record<string, number>
}

interface Load {
  url: string
  headers: Record<string, string>
  seconds: number
  connections: number
  /** The processes whose CPU time is measured, by name. */
  processes: Record<string, number>
}

/** Keeps a number of calls in flight for a number of seconds. */
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
