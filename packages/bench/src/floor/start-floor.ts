import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { OnStop } from '@cobro/runtime'
import { exportJWK, generateKeyPair } from 'jose'
import type { FloorSettings } from './floor-wiring.ts'

/** In the order of their start: each gets the URLs of those before it. */
const allNames = [
  'acquirer-sandbox',
  'transactions',
  'webhooks-dispatcher',
  'audit-log',
  'checkout',
  'gateway',
] as const

export interface Floor {
  /** Empty without a gateway. */
  url: string
  /** Process ids by name. */
  processes: Record<string, number>
  /** The public key to encrypt cards with. */
  cardKey: object
}

/** Starts the floor's processes, or some of them, on the servers of a stack, which has the floor's tables. */
export async function startFloor<Rows>(
  options: Omit<FloorSettings<Rows>, 'urls' | 'keys'>,
  onStop: OnStop,
  names: readonly (typeof allNames)[number][] = allNames,
): Promise<Floor> {
  const [card, identity] = [
    await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true }),
    await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true }),
  ]
  const keys = { card: await exportJWK(card.privateKey), identity: await exportJWK(identity.privateKey) }
  const urls: Record<string, string> = {}
  const processes: Record<string, number> = {}
  for (const name of names) {
    const env = { PATH: process.env.PATH }
    const program = join(import.meta.dirname, `floor-${name}.ts`)
    const child = fork(program, { execArgv: ['--conditions=cobro-source'], env })
    onStop(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    })
    child.send({ ...options, urls, keys } satisfies FloorSettings<Rows>)
    const [url] = (await once(child, 'message')) as [string]
    urls[name] = url
    processes[name] = child.pid ?? 0
  }
  const cardKey = { ...(await exportJWK(card.publicKey)), alg: 'ECDH-ES', use: 'enc' }
  return { url: urls.gateway ?? '', processes, cardKey }
}
