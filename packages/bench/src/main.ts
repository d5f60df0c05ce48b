import { parseArgs } from 'node:util'
import { benchAudit } from './bench-audit.ts'
import { benchGateway } from './bench-gateway.ts'

const benches = { audit: benchAudit, gateway: benchGateway }
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'boolean', default: false }, events: { type: 'string', default: '100000' } },
})
const [name = ''] = positionals

if (!Object.hasOwn(benches, name)) {
  process.stderr.write(`Which benchmark? There is: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
try {
  await benches[name as keyof typeof benches]({
    profile: values.profile,
    events: Number(values.events),
    signal: ending.signal,
  })
} catch (error) {
  if (!ending.signal.aborted) throw error
  process.exit(1)
}
process.exit(0)
