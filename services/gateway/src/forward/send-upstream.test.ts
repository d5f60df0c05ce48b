import { ApiError } from '@cobro/contracts'
import { sendUpstream } from './send-upstream.ts'

function failing(code: string, times: number) {
  let sent = 0
  const send = async () => {
    sent++
    if (sent <= times) throw Object.assign(new Error(code), { code })
    return 'answer'
  }
  return { send, sent: () => sent }
}

test('sends a read again over a connection that was cut, once', async () => {
  const once = failing('UND_ERR_SOCKET', 1)
  expect(await sendUpstream(once.send, { reads: true })).toBe('answer')
  const twice = failing('ECONNRESET', 2)
  await expect(sendUpstream(twice.send, { reads: true })).rejects.toMatchObject({ code: 'unavailable' })
  expect(twice.sent()).toBe(2)
})

test('sends what may have had its effect only once, and does not say that it had none', async () => {
  const cut = failing('ECONNRESET', 1)
  await expect(sendUpstream(cut.send, { reads: false })).rejects.toMatchObject({ code: 'timeout' })
  expect(cut.sent()).toBe(1)
})

test.each([
  ['ECONNREFUSED', 'unavailable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'unavailable'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
])('maps the network error %s to the error code %s', async (code, expected) => {
  const { send, sent } = failing(code, 9)
  await expect(sendUpstream(send, { reads: true })).rejects.toMatchObject({ code: expected })
  expect(sent()).toBe(1)
})

test('tells the client what was wrong with its own body', async () => {
  const error = new ApiError('payload_too_large')
  await expect(sendUpstream(() => Promise.reject(error), { reads: true })).rejects.toBe(error)
})
