import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { newId } from '@cobro/contracts'
import { type GatewayWorld, gatewayUnderTest, recordOf, send, start } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())
beforeEach(() => world.upstream.reset())

const stream = `/hosted/v1/checkout/${newId('cs')}/stream`

async function follow(url = world.url): Promise<IncomingMessage> {
  const [answer] = (await once(get(`${url}${stream}`), 'response')) as [IncomingMessage]
  return answer.setEncoding('utf8')
}

/** Responds with a stream of one event that stays open. Resolves once the reader disconnects. */
function openUpstream(): Promise<void> {
  return new Promise(resolve => {
    world.upstream.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      response.once('close', resolve)
    }
  })
}

test('forwards events of a service while the stream is open, and records the call at its start', async () => {
  void openUpstream()
  const answer = await follow()
  expect(answer.headers['content-type']).toBe('text/event-stream')
  expect(await once(answer, 'data')).toEqual(['data: 1\n\n'])
  expect(await recordOf(world, String(answer.headers['x-request-id']))).toMatchObject({ data: { status_code: 200 } })
  answer.destroy()
})

test('ends the stream to the service when the client disconnects', async () => {
  const gone = openUpstream()
  const answer = await follow()
  answer.destroy()
  await gone
})

test('a stopping gateway ends forwarded event streams without waiting for them', async () => {
  const replica = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/second` })
  const gone = openUpstream()
  const answer = await follow(replica.url)
  answer.resume()
  const ended = once(answer, 'end')
  const before = Date.now()
  await Promise.all([replica.stop(), ended, gone])
  // Without that, the stream would end after a minute without data.
  expect(Date.now() - before).toBeLessThan(30_000)
})

test('forwards acquirer notifications without a credential, as the acquirer, with their signature', async () => {
  const headers = { 'acquirer-signature': 'a..b', 'x-api-key': 'vk_test_wrong' }
  const answer = await send(world.url, '/acquirer/v1/notifications', { headers, body: '{"id":"n1"}' })
  expect(answer.status).toBe(200)
  expect(world.upstream.received[0]).toMatchObject({ headers: { 'acquirer-signature': 'a..b' }, body: '{"id":"n1"}' })
  expect(await world.callerOf(world.upstream.received[0])).toEqual({ kind: 'acquirer' })
  expect(await recordOf(world, answer.requestId)).toMatchObject({ actor: { type: 'acquirer', id: null } })
})
