import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { importJWK, SignJWT } from 'jose'
import { caller, type FloorMessage, inBatches, openBroker, runFloorProcess, serve } from './floor-wiring.ts'

const renewMs = 15_000
const publishMs = 200

/** Passes calls on with a signed identity, and records each in a file that is synced before the answer. */
runFloorProcess(async ({ urls, keys, spoolFile, amqpUrl }) => {
  const call = caller(urls.checkout ?? '')
  const { publish } = await openBroker(amqpUrl)
  const append = await openSpool(spoolFile)
  const identity = await identityOf(keys.identity)
  const record = inBatches<FloorMessage>(publishMs, batch => Promise.all(batch.map(publish)))
  return serve(async (path, body) => {
    const startMs = performance.now()
    const id = newId('req')
    const answer = await call(path, body, { 'x-request-id': id, 'x-identity': identity() })
    const ended = { id, path, method: 'POST', status_code: 200, duration_ms: performance.now() - startMs }
    await append(JSON.stringify(ended))
    record({ id: newId('evt'), name: 'http.request', data: ended })
    return answer
  })
})

/** Returns a function that appends a line, and resolves when it is on the disk with all before it. */
async function openSpool(file: string): Promise<(line: string) => Promise<void>> {
  const spool = await open(file, 'a')
  const append = inBatches<{ line: string; synced: () => void }>(0, async lines => {
    await spool.write(lines.map(({ line }) => `${line}\n`).join(''))
    await spool.datasync()
    for (const { synced } of lines) synced()
  })
  return line => new Promise(synced => append({ line, synced }))
}

/** Returns a function with the newest identity, which is signed again every 15 s. */
async function identityOf(jwk: object): Promise<() => string> {
  const key = await importJWK(jwk, 'EdDSA')
  const sign = () => new SignJWT({}).setProtectedHeader({ alg: 'EdDSA' }).setExpirationTime('30s').sign(key)
  let identity = await sign()
  const renew = async () => {
    for (;;) {
      await sleep(renewMs)
      identity = await sign()
    }
  }
  void renew()
  return () => identity
}
