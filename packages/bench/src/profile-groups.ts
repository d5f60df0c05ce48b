/** What of a V8 profile is read. */
export interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** Where code belongs, by the address of its file. The first that fits counts. */
const groups: readonly [name: string, pattern: RegExp][] = [
  ['spool', /gateway\/src\/spool\//],
  ['rate limits', /gateway\/src\/limits\/|rate-limiter-flexible/],
  ['who calls', /gateway\/src\/(callers|auth|api-keys)\//],
  ['forwarding', /gateway\/src\/forward\//],
  ['calls', /gateway\/src\/calls\//],
  ['tracing', /@opentelemetry|runtime\/src\/telemetry|import-in-the-middle/],
  ['undici', /undici/],
  [
    'express',
    /\/(express|router|finalhandler|send|qs|path-to-regexp|body-parser|raw-body)@|node_modules\/(express|router)\//,
  ],
  ['logging', /pino|sonic-boom/],
  ['database', /mikro-orm|kysely|\/pg@|\/pg-/],
  ['broker', /amqplib/],
  ['tokens', /\/jose@/],
  ['our packages', /\/packages\//],
  ['node: http', /node:(_http|http|internal\/http)/],
  ['node: net and streams', /node:(net|internal\/(stream|streams)|stream|internal\/js_stream|buffer)/],
  ['node: async context', /node:(async_hooks|internal\/async|internal\/process\/task)/],
  ['node: other', /^node:/],
]

/** The share of busy time that each group of code takes by itself, largest first. Idle time is left out. */
export function profileShares(profile: Profile): [group: string, share: number][] {
  const groupOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, groupName(callFrame)]))
  const time = new Map<string, number>()
  profile.samples.forEach((id, at) => {
    const group = groupOf.get(id) ?? 'other'
    time.set(group, (time.get(group) ?? 0) + (profile.timeDeltas[at] ?? 0))
  })
  time.delete('idle')
  const busy = [...time.values()].reduce((sum, value) => sum + value, 0)
  return [...time].map(([group, value]): [string, number] => [group, value / busy]).toSorted((a, b) => b[1] - a[1])
}

function groupName({ functionName, url }: { functionName: string; url: string }): string {
  if (functionName === '(idle)') return 'idle'
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code'
  return groups.find(([, pattern]) => pattern.test(url))?.[0] ?? 'other'
}
