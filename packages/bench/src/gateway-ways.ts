import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identitySigner, internalHeaders } from '@cobro/http'
import type { RunningStack } from '@cobro/local-stack'

/** The URL and headers of a call. */
export interface Way {
  url: string
  headers: Record<string, string>
}

/** The three ways to read a session, and the processes whose CPU time they use. */
export interface GatewayWays {
  ways: Record<'direct' | 'bare' | 'gateway', () => Promise<Way>>
  processes: Record<'gateway' | 'bare' | 'checkout' | 'load generator', number>
  stop: () => Promise<void>
}

/** Creates a session on a running stack, and starts a bare pass-through in front of checkout. */
export async function gatewayWays({ stack }: RunningStack, dir: string): Promise<GatewayWays> {
  const { base_url, api_key, merchant_id, services } = stack
  const checkout = services.checkout?.url ?? ''
  const key = { authorization: `Token ${api_key}` }
  const created = await fetch(`${base_url}/checkout/v1/sessions`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_total: 25_000, return_url: 'https://shop.example' }),
  })
  const { id } = (await created.json()) as { id: string }
  const path = `/checkout/v1/sessions/${id}`

  const { internal_signing_key } = JSON.parse(await readFile(join(dir, 'secrets.json'), 'utf8'))
  const merchant = { merchant_id, merchant_name: 'Bench', merchant_status: 'active' as const }
  const caller = { kind: 'key' as const, id: 'key_01kdvc4x2m8p6q7r9s0t1v2w3x', ...merchant }
  const sign = await identitySigner(internal_signing_key)
  const bare = await startBare({ target: checkout, signingKey: internal_signing_key, caller })
  await refuseUnequal([
    { url: `${base_url}${path}`, headers: key },
    { url: `${bare.url}${path}`, headers: {} },
  ])
  return {
    ways: {
      direct: async () => ({
        url: `${checkout}${path}`,
        headers: { [internalHeaders.identity]: await sign(caller, 'checkout') },
      }),
      bare: async () => ({ url: `${bare.url}${path}`, headers: {} }),
      gateway: async () => ({ url: `${base_url}${path}`, headers: key }),
    },
    processes: {
      gateway: services.gateway?.pid ?? 0,
      bare: bare.pid,
      checkout: services.checkout?.pid ?? 0,
      'load generator': process.pid,
    },
    stop: bare.stop,
  }
}

async function startBare(options: { target: string; signingKey: object; caller: object }) {
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
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: `http://127.0.0.1:${String(port).trim()}`,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Checks that all ways return the same bytes, because the comparison would otherwise be meaningless. */
async function refuseUnequal(ways: Way[]): Promise<void> {
  const answers = await Promise.all(ways.map(async ({ url, headers }) => (await fetch(url, { headers })).text()))
  if (new Set(answers).size !== 1) throw new Error(`The ways answer differently:\n${answers.join('\n')}`)
}
