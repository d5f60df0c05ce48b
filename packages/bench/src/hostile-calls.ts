/** A call without a credential. */
export interface HostileCall {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

const json = { 'content-type': 'application/json' }
/** Digits with separators, which a careless search for card numbers scans again from each of them. */
const digits = (length: number) => '6-'.repeat(length / 2)

/** Calls without a credential that aim at the processor: each costs more than it looks. */
export const hostileCalls: HostileCall[] = [
  { method: 'GET', path: `/${digits(7_600)}` },
  { method: 'POST', path: '/nowhere', headers: json, body: JSON.stringify({ note: digits(200_000) }) },
  { method: 'POST', path: '/api/auth/refresh', headers: json, body: JSON.stringify({ refresh_token: digits(4_000) }) },
  { method: 'GET', path: '/api/transactions', headers: { authorization: `Bearer ${digits(8_000)}` } },
  { method: 'GET', path: `/api/transactions?search=${digits(4_000)}` },
  { method: 'GET', path: '/health', headers: { 'user-agent': digits(8_000), 'x-forwarded-for': digits(4_000) } },
]
