import type { RequestListener } from 'node:http'
import { type BenchRun, print, startBenchStack, startServer } from './bench-stack.ts'
import { cores, moveToCores } from './cores.ts'
import { type GatewayWays, gatewayWays } from './gateway-ways.ts'
import { measureLoad, type Round } from './measure-load.ts'
import { median, spread } from './median.ts'
import { reportProfile } from './profile-report.ts'

interface Options extends BenchRun {
  /** Whether to profile the gateway and print where its time goes. Profiling lowers its rate. */
  profile: boolean
}

type Way = keyof GatewayWays['ways']

const connections = 16
/** Long enough for V8 to compile the hot code. */
const warmUpSeconds = 8
const roundSeconds = 3
const rounds = 5
const order: Way[] = ['direct', 'bare', 'gateway']

const words: Record<Way, string> = {
  direct: 'checkout itself',
  bare: 'bare pass-through',
  gateway: 'gateway',
}

/**
 * Measures authenticated reads of a session through the gateway, a bare proxy, and directly.
 * The proxy is Express and undici; the service is the same. Rounds alternate, so that other load affects all three. The
 * gateway and the proxy get their own core, as in a deployment; everything else shares the other cores.
 */
export async function benchGateway({ profile, signal, onStop }: Options): Promise<void> {
  // Processes started from here on inherit these cores.
  const separate = cores.enough && moveToCores(process.pid, cores.rest)
  let exports = 0
  // Discards the traces, so that it never slows down their exporter.
  const collect: RequestListener = (request, response) => {
    exports += 1
    request.resume()
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  }
  const env = { all: tracing(await startServer(collect, onStop)) }
  // Other services would use the same cores, such as the audit log, which records each call.
  const services = ['gateway', 'checkout'] as const
  const profiled = profile ? (['gateway'] as const) : []
  const bench = await startBenchStack({ services, env, profiled }, { signal, onStop })
  const ways = await gatewayWays(bench, onStop)
  if (separate) for (const pid of [ways.processes.gateway, ways.processes.bare]) moveToCores(pid, cores.front)
  print(separate ? 'the gateway and the bare pass-through have a core of their own' : 'all share the same cores')
  const fromUs = Number(process.hrtime.bigint() / 1000n)
  printRounds(await runRounds(ways, signal))
  print(`exports of traces received:  ${exports}`)
  for (const service of profiled) await reportProfile(bench, service, fromUs)
}

/** As in production: exports one trace in ten. */
const tracing = (collector: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
})

async function runRounds({ ways, processes }: GatewayWays, signal: AbortSignal): Promise<Record<Way, Round[]>> {
  const run = async (way: Way, seconds: number) => {
    signal.throwIfAborted()
    return measureLoad({ ...(await ways[way]()), seconds, connections, processes })
  }
  for (const way of order) await run(way, warmUpSeconds)
  const seen: Record<Way, Round[]> = { direct: [], bare: [], gateway: [] }
  for (let round = 0; round < rounds; round++) {
    for (const way of order) seen[way].push(await run(way, roundSeconds))
  }
  return seen
}

function printRounds(seen: Record<Way, Round[]>): void {
  const rate = (way: Way) => median(seen[way].map(round => round.requestsPerSecond))
  print(
    `\n${connections} calls in flight, ${rounds} rounds of ${roundSeconds} s each, taking turns; medians of the rounds`,
  )
  for (const way of order) {
    const of = (pick: (round: Round) => number) => median(seen[way].map(pick))
    const bad = seen[way].reduce((sum, round) => sum + round.bad, 0)
    const cpu = Object.keys(seen[way][0]?.cpuUsPerRequest ?? {}).map(
      name => `${name} ${Math.round(of(round => round.cpuUsPerRequest[name] ?? 0))}`,
    )
    print(
      `${words[way].padEnd(18)} ${rate(way).toFixed(0).padStart(6)} req/s (spread ${(spread(seen[way].map(round => round.requestsPerSecond)) * 100).toFixed(0)} %)` +
        `  p50 ${of(round => round.p50Ms)} ms  p99 ${of(round => round.p99Ms)} ms  not 200: ${bad}`,
    )
    print(`${''.padEnd(18)} processor time a request, µs: ${cpu.join(', ')}`)
  }
  const ratio = (one: Way, other: Way) => {
    const pairs = seen[one].map(
      (round, at) => round.requestsPerSecond / (seen[other][at]?.requestsPerSecond ?? Number.NaN),
    )
    const [least = 0, most = 0] = [Math.min(...pairs), Math.max(...pairs)]
    return `${median(pairs).toFixed(2)} (rounds ${least.toFixed(2)} to ${most.toFixed(2)})`
  }
  print(`\ngateway / bare pass-through: ${ratio('gateway', 'bare')}, aim: at least 0.80`)
  print(`gateway / checkout itself:   ${ratio('gateway', 'direct')}`)
  print(`bare    / checkout itself:   ${ratio('bare', 'direct')}`)
}
