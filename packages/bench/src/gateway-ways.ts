import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { id as idSchema } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import type { OnStop } from '@cobro/runtime'
import type { BenchStack } from './bench-stack.ts'

/** The URL and headers of a call. */
interface Way {
  url: string
  headers: Record<string, string>
}

/** The three ways to read a session, and the processes whose CPU time they use. */
export interface GatewayWays {
  ways: Record<'direct' | 'bare' | 'gateway', () => Promise<Way>>
  processes: Record<'gateway' | 'bare' | 'checkout' | 'load generator', number>
}

/** Creates a session on a running stack, and starts a bare pass-through in front of checkout. */
export async function gatewayWays(bench: BenchStack, onStop: OnStop): Promise<GatewayWays> {
  const { base_url, api_key, merchant_id, services } = bench.stack.stack
  const checkout = services.checkout?.url ?? ''
  const key = { authorization: `Token ${api_key}` }
  const created = await fetch(`${base_url}/checkout/v1/sessions`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_total: 25_000, return_url: 'https://shop.example' }),
  })
  const { id } = (await created.json()) as { id: string }
  const path = `/checkout/v1/sessions/${id}`
  const caller = keyCaller(idSchema('mrc').parse(merchant_id))
  const signingKey = bench.secrets.internal_signing_key
  const bare = await startBare({ target: checkout, signingKey, caller }, onStop)
  await requireEqualResponses([
    { url: `${base_url}${path}`, headers: key },
    { url: `${bare.url}${path}`, headers: {} },
  ])
  return {
    ways: {
      direct: async () => ({ url: `${checkout}${path}`, headers: await bench.identify(caller, 'checkout') }),
      bare: async () => ({ url: `${bare.url}${path}`, headers: {} }),
      gateway: async () => ({ url: `${base_url}${path}`, headers: key }),
    },
    processes: {
      gateway: services.gateway?.pid ?? 0,
      bare: bare.pid,
      checkout: services.checkout?.pid ?? 0,
      'load generator': process.pid,
    },
  }
}

async function startBare(options: { target: string; signingKey: object; caller: object }, onStop: OnStop) {
  const child = spawn(
    process.execPath,
    ['--conditions=cobro-source', join(import.meta.dirname, 'bare-pass-through.ts')],
    {
      env: {
        PATH: process.env.PATH,
        TARGET_URL: options.target,
        SIGNING_KEY: JSON.stringify(options.signingKey),
        CALLER: JSON.stringify(options.caller),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.stdin.end()
    await once(child, 'exit')
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${String(port).trim()}`, pid: child.pid ?? 0 }
}

/** Checks that all ways return the same bytes; otherwise the comparison would be meaningless. */
async function requireEqualResponses(ways: Way[]): Promise<void> {
  const answers = await Promise.all(ways.map(async ({ url, headers }) => (await fetch(url, { headers })).text()))
  if (new Set(answers).size !== 1) throw new Error(`The ways return different responses:\n${answers.join('\n')}`)
}
