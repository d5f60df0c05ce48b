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

test('sends a read once more after a cut connection', async () => {
  const once = failing('UND_ERR_SOCKET', 1)
  expect(await sendUpstream(once.send, { reads: true })).toBe('answer')
  const twice = failing('ECONNRESET', 2)
  await expect(sendUpstream(twice.send, { reads: true })).rejects.toMatchObject({ code: 'unavailable' })
  expect(twice.sent()).toBe(2)
})

test('sends a change only once and reports its unknown outcome as a timeout', async () => {
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

test("passes on an error of the client's own body", async () => {
  const error = new ApiError('payload_too_large')
  await expect(sendUpstream(() => Promise.reject(error), { reads: true })).rejects.toBe(error)
})
