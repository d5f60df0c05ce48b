import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@cobro/testing'
import { testAuthority } from '@cobro/testing/test-certificates'
import { Agent, request } from 'undici'
import { type GatewayWorld, gatewayUnderTest, recordOf, start } from './gateway-world.ts'

let world: GatewayWorld
let dir: string
beforeAll(async () => {
  world = await gatewayUnderTest()
  dir = await mkdtemp(join(tmpdir(), 'cobro-gateway-tls-'))
})
afterAll(async () => {
  await world.stop()
  await rm(dir, { recursive: true })
})

test('a gateway with a certificate answers and records calls with https, and records no failed handshake', async () => {
  const authority = await testAuthority()
  const { cert, key } = await authority.issue('localhost')
  const files = { TLS_CERT_FILE: join(dir, 'tls.crt'), TLS_KEY_FILE: join(dir, 'tls.key') }
  await writeFile(files.TLS_CERT_FILE, cert)
  await writeFile(files.TLS_KEY_FILE, key)
  const gateway = await start({ ...world.config, ...files, SPOOL_DIR: `${world.config.SPOOL_DIR}/tls` })
  const agent = new Agent({ connect: { ca: authority.cert } })
  const get = (path: string) => request(`https://localhost:${gateway.port}${path}`, { dispatcher: agent })
  // On a busy machine the first health check can time out, and the system is unhealthy until the next one.
  await waitFor(async () => {
    const { statusCode, body } = await get('/health')
    await body.dump()
    return statusCode === 200
  })
  const recorded = () => world.lines.filter(({ msg }) => msg === 'call').length
  const before = recorded()

  const plain = connect(gateway.port, '127.0.0.1').on('error', () => undefined)
  plain.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise(resolve => plain.once('close', resolve))
  const { statusCode, headers, body } = await get('/health')
  await body.dump()
  expect(statusCode).toBe(200)
  expect(await recordOf(world, String(headers['x-request-id']))).toMatchObject({ data: { path: '/health' } })
  expect(recorded() - before).toBe(1)

  await agent.close()
  await gateway.stop()
})
