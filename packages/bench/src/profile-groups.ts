/** The parts of a V8 CPU profile that are used. */
export interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
  /** Microseconds of the monotonic clock, like `process.hrtime`. */
  startTime: number
}

/** Groups code by the URL of its file. The first match counts. */
const groups: readonly [name: string, pattern: RegExp][] = [
  ['spool', /gateway\/src\/spool\//],
  ['broker', /amqplib|packages\/messaging\/|calls\/publish-call/],
  ['rate limits', /gateway\/src\/limits\/|rate-limiter-flexible/],
  ['authentication', /gateway\/src\/(callers|auth|api-keys)\/|\/jose@/],
  ['call record', /gateway\/src\/calls\//],
  ['forwarding', /gateway\/src\/forward\//],
  ['tracing', /@opentelemetry|runtime\/src\/telemetry|import-in-the-middle/],
  ['undici', /undici/],
  ['express', /\/(express|router|finalhandler|qs|path-to-regexp|body-parser|raw-body)@/],
  ['logging', /pino|sonic-boom/],
  ['database', /mikro-orm|kysely|\/pg@|\/pg-|packages\/database\//],
  ['other Cobro packages', /\/packages\//],
  ['node: http', /^node:(_http|internal\/http)/],
  ['node: sockets and streams', /^node:(net$|stream|internal\/streams|internal\/stream_base)/],
  ['node: async context', /^node:(async_hooks|internal\/async)/],
]

/**
 * Returns each code group's share of busy time from a moment on, largest first, without idle time.
 * Code in no group, such as native functions and most of Node itself, counts for the group that called it.
 */
export function profileShares(profile: Profile, fromUs = 0): [group: string, share: number][] {
  const groupOf = nodeGroups(profile)
  const time = new Map<string, number>()
  let now = profile.startTime
  for (const [at, id] of profile.samples.entries()) {
    const spent = profile.timeDeltas[at] ?? 0
    now += spent
    const group = groupOf.get(id) ?? 'other'
    if (now >= fromUs && group !== 'idle') time.set(group, (time.get(group) ?? 0) + spent)
  }
  const busy = [...time.values()].reduce((sum, value) => sum + value, 0)
  return [...time].map(([group, value]): [string, number] => [group, value / busy]).toSorted((a, b) => b[1] - a[1])
}

/** Relies on profiles listing parents before their children. */
function nodeGroups({ nodes }: Profile): Map<number, string> {
  const inherited = new Map<number, string>()
  const groupOf = new Map<number, string>()
  for (const { id, callFrame, children = [] } of nodes) {
    const group = ownGroup(callFrame) ?? inherited.get(id) ?? 'other'
    groupOf.set(id, group)
    for (const child of children) inherited.set(child, group)
  }
  return groupOf
}

function ownGroup({ functionName, url }: { functionName: string; url: string }): string | undefined {
  if (functionName === '(idle)') return 'idle'
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code'
  return groups.find(([, pattern]) => pattern.test(url))?.[0]
}
