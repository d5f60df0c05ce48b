import { redirectUrl } from './session-redirect.ts'

const session = {
  id: 'cs_1' as const,
  status: 'completed' as const,
  return_url: 'https://m.mx/r?a=1',
  success_url: null,
  cancel_url: null,
}

test('adds the session id and status to the query of the return URL', () => {
  expect(redirectUrl(session)).toBe('https://m.mx/r?a=1&session_id=cs_1&status=completed')
})

test('redirects a paid session to success_url, any other to cancel_url, and both to return_url by default', () => {
  const all = { ...session, success_url: 'https://m.mx/s', cancel_url: 'https://m.mx/c' }
  expect(redirectUrl(all)).toBe('https://m.mx/s?session_id=cs_1&status=completed')
  expect(redirectUrl({ ...all, status: 'cancelled' })).toBe('https://m.mx/c?session_id=cs_1&status=cancelled')
  expect(redirectUrl({ ...session, status: 'expired' })).toBe('https://m.mx/r?a=1&session_id=cs_1&status=expired')
})
