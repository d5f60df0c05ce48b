import { CallLog } from './call-log.ts'

const url = 'https://pay.example.com/api/transactions'
const answered = (status = 200) => Promise.resolve(new Response('', { status, headers: { 'x-request-id': 'req_1' } }))

test('notes a call while it runs and when it is answered, without its token', async () => {
  const log = new CallLog(2)
  let changes = 0
  log.subscribe(() => changes++)
  const headers = { authorization: 'Bearer secret', 'Idempotency-Key': 'key-1', 'user-agent': 'cobro-sdk' }
  const running = log.noted(url, { method: 'POST', headers, body: '{"a":1}' }, () => answered(201))
  expect(log.calls()).toMatchObject([{ method: 'POST', url, body: '{"a":1}', status: undefined }])
  await running
  expect(log.calls()).toMatchObject([{ status: 201, requestId: 'req_1', headers: { 'idempotency-key': 'key-1' } }])
  expect(JSON.stringify(log.calls())).not.toContain('secret')
  expect(changes).toBe(2)
})

test('keeps the newest calls', async () => {
  const log = new CallLog(2)
  for (const name of ['a', 'b', 'c']) await log.noted(`${url}/${name}`, {}, answered)
  expect(log.calls().map(call => call.url)).toEqual([`${url}/c`, `${url}/b`])
})

test('does not note the answer of a screen that was left', async () => {
  const log = new CallLog(2)
  const running = log.noted(url, {}, answered)
  log.clear()
  await running
  expect(log.calls()).toEqual([])
})

test('notes a call that was never answered, and throws what it threw', async () => {
  const log = new CallLog(2)
  await expect(log.noted(url, {}, () => Promise.reject(new Error('offline')))).rejects.toThrow('offline')
  expect(log.calls()).toMatchObject([{ status: 0, requestId: undefined }])
})

test.each(['auth/confirm', 'me/factor/confirm', 'users', 'users/usr_1'])('keeps no body of %s', async path => {
  const log = new CallLog(2)
  const send = { method: 'POST', body: '{"password":"secret"}' }
  await log.noted(`https://pay.example.com/api/${path}`, send, answered)
  expect(log.calls()).toMatchObject([{ body: undefined }])
})
