import { type TlsProxy, tlsProxy, waitFor } from '@cobro/testing'
import { expired, testAuthority, trustedAuthority } from '@cobro/testing/test-certificates'
import { withBroker } from '../src/connect-broker.ts'
import { type BusUnderTest, busUnderTest, someMessage } from './bus-under-test.ts'

const authority = trustedAuthority()
let bus: BusUnderTest
let proxy: TlsProxy
beforeAll(async () => {
  bus = await busUnderTest()
  proxy = await tlsProxy(bus.url, await authority.issue('127.0.0.1'))
})
afterAll(async () => {
  await bus.release()
  await proxy.close()
  await bus.stop()
})

function connectTo(host: string): Promise<boolean> {
  const url = new URL(proxy.url)
  url.hostname = host
  return withBroker(url.href, async () => true)
}

test.each(['127.0.0.1', 'localhost'])('amqps connects to %s', async host => {
  proxy.use(await authority.issue(host))
  expect(await connectTo(host)).toBe(true)
})

test.each([
  ['expired', () => authority.issue('127.0.0.1', expired), /expired/],
  ['from a foreign authority', async () => (await testAuthority('Foreign')).issue('127.0.0.1'), /unable to verify/],
  ['of another host', () => authority.issue('localhost'), /altnames/],
])('amqps rejects a certificate that is %s', async (_what, issue, reason) => {
  proxy.use(await issue())
  await expect(connectTo('127.0.0.1')).rejects.toThrow(reason)
})

test('a publisher survives the rotation of the certificate, and recovers from one that had expired', async () => {
  proxy.use(await authority.issue('127.0.0.1'))
  const publisher = await bus.publisher(proxy.url.href)
  const publish = () => {
    const message = someMessage()
    return publisher.publish('events', message.name, { id: message.id, body: Buffer.from(JSON.stringify(message)) })
  }
  await publish()
  proxy.use(await authority.issue('127.0.0.1', expired))
  await publish()
  proxy.cut()
  await waitFor(() => !publisher.connected())
  await expect(publish()).rejects.toThrow()
  proxy.use(await authority.issue('127.0.0.1'))
  await waitFor(publisher.connected)
  await publish()
})
