import { readCallOf, tracesOf } from './read-call.ts'

test('the call that reads a payment has no token', () => {
  expect(readCallOf('txn_1', 'https://pay.example.com')).toBe(
    'curl https://pay.example.com/api/transactions/txn_1 -H "Authorization: Token $COBRO_API_KEY"',
  )
})

test('each trace of a lifecycle is there once, with its first moment', () => {
  const events = [
    { trace_id: 'a1', occurred_at: '2026-11-26T10:00:00.000Z' },
    { trace_id: null, occurred_at: '2026-11-26T10:00:01.000Z' },
    { trace_id: 'a1', occurred_at: '2026-11-26T10:00:02.000Z' },
    { trace_id: 'b2', occurred_at: '2026-11-26T10:00:03.000Z' },
  ]
  expect(tracesOf(events, 'https://traces.example.com/trace/{trace_id}?from=cobro')).toEqual([
    { id: 'a1', at: '2026-11-26T10:00:00.000Z', url: 'https://traces.example.com/trace/a1?from=cobro' },
    { id: 'b2', at: '2026-11-26T10:00:03.000Z', url: 'https://traces.example.com/trace/b2?from=cobro' },
  ])
})
