import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { forwardEvent, forwardingUrl } from './forward-event.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const secret = `whsec_${'A'.repeat(43)}=`
const event = { id: 'evt_1', event: 'payment.approved', sequence: 1, payload: '{}' }

/** Forwards an event to a receiver that answers like this. */
async function forwarded(answer: RequestListener) {
  const server = createServer(answer)
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return forwardEvent(event, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, { secret })
}

test.each([200, 500])('the status %s counts although the body breaks off', async status => {
  const result = await forwarded((_request, response) => {
    response.writeHead(status, { 'content-length': 1_000 })
    response.write('the start', () => setTimeout(() => response.destroy(), 50))
  })
  expect(result).toMatchObject({ status, ...(status === 500 && { answer: 'the start' }) })
})

test('of a body without an end the start is read', async () => {
  const result = await forwarded((_request, response) => {
    response.writeHead(500).write('x'.repeat(10_000))
  })
  expect(result).toMatchObject({ status: 500, answer: 'x'.repeat(200) })
})

test('a URL with a password is refused without its text', () => {
  expect(() => forwardingUrl('http://user:secret@localhost:1')).toThrow('Others on this machine')
  expect(() => forwardingUrl('user@localhost:1')).toThrow('Others on this machine')
  expect(() => forwardingUrl('http://user:secret@localhost:1')).not.toThrow('secret')
  expect(forwardingUrl('4242')).toBe('http://localhost:4242')
})
