import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bulk, grownOldMb } from '@cobro/testing'
import { createContextKey } from '@opentelemetry/api'
import { Pool } from 'undici'
import { CallContextManager } from '../src/telemetry/call-context-manager.ts'

/** V8 makes some MB old that are about to die. If all were old at once, it would be 50 MB or more. */
const limitMb = 30

test('contexts die young, with the values that they lead to', async () => {
  const manager = new CallContextManager().enable()
  const [span, call] = [createContextKey('span'), createContextKey('call')]
  const grown = await grownOldMb(() => manager.active().setValue(call, bulk()).setValue(span, 1).deleteValue(span))
  expect(grown).toBeLessThan(limitMb)
})

// Without the patch of undici each request is old at once.
test('requests of undici die young', async () => {
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
  const grown = await grownOldMb(async () => {
    const { body } = await pool.request({ method: 'GET', path: '/', opaque: bulk() })
    await body.text()
  })
  await pool.close()
  server.close()
  expect(grown).toBeLessThan(limitMb)
})
