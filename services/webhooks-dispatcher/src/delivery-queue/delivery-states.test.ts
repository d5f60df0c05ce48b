import { deliveryStatuses } from '@cobro/contracts'
import { deliveryTransitions, endedStatusesSql, hasEnded } from './delivery-states.ts'

const ended = ['succeeded', 'failed', 'exhausted', 'cancelled']

const allowed: Record<string, string> = {
  'pending claimed': 'delivering:',
  'pending cancelled': 'cancelled: webhook.cancelled',
  'delivering reclaimed': 'delivering: webhook.attempt_failed',
  'delivering requeued': 'pending:',
  'delivering succeeded': 'succeeded: webhook.delivered',
  'delivering retry': 'pending: webhook.attempt_failed',
  'delivering retry_cancelled': 'cancelled: webhook.attempt_failed webhook.cancelled',
  'delivering exhausted': 'exhausted: webhook.attempt_failed webhook.exhausted',
  'delivering failed': 'failed: webhook.attempt_failed',
  'delivering gone': 'failed: webhook.attempt_failed',
  'delivering cancelled_unsent': 'cancelled: webhook.cancelled',
  'delivering exhausted_unsent': 'exhausted: webhook.exhausted',
  'delivering failed_unsent': 'failed:',
  ...Object.fromEntries(ended.map(status => [`${status} redelivered`, 'pending: webhook.redelivered'])),
  ...Object.fromEntries(ended.map(status => [`${status} hidden`, `${status}: webhook.deleted`])),
}

const transitions: Record<string, Record<string, { to: string; emits: readonly string[] }>> = deliveryTransitions
const changes = new Set(Object.values(transitions).flatMap(Object.keys))

test('webhook deliveries have no other transitions than the expected ones', () => {
  const declared = Object.entries(transitions).flatMap(([status, causes]) =>
    Object.keys(causes).map(change => `${status} ${change}`),
  )
  expect(declared.sort()).toEqual(Object.keys(allowed).sort())
})

for (const status of deliveryStatuses) {
  for (const change of changes) {
    const expected = allowed[`${status} ${change}`]
    test(`a delivery that is ${status} ${expected ? `becomes ${expected}` : 'cannot change'} when ${change}`, () => {
      const transition = transitions[status]?.[change]
      expect(transition && [`${transition.to}:`, ...transition.emits].join(' ')).toBe(expected)
    })
  }
}

test('a webhook delivery has ended unless it is pending or delivering', () => {
  expect(deliveryStatuses.filter(hasEnded)).toEqual(ended)
  expect(endedStatusesSql).toBe("'succeeded', 'failed', 'exhausted', 'cancelled'")
})
