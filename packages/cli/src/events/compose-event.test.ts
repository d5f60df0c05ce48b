import { scenarios } from '../scenarios/scenarios.ts'
import { composableEvents, composeEvent } from './compose-event.ts'

test('each event can be composed, with an id of its own', () => {
  expect(composableEvents.toSorted()).toEqual([...Object.keys(scenarios), 'webhook.test'].toSorted())
  const composed = composableEvents.map(name => composeEvent(name, []))
  expect(composed.map(({ event }) => event)).toEqual(composableEvents)
  expect(new Set(composed.map(({ id }) => id)).size).toBe(composed.length)
})

test('fields are set as JSON, or as text where the field is one', () => {
  const sets = [
    ...['data.decline_reason=lost_card', 'data.amount_cents=9900', 'data.order_id=0042', 'data.risk_score=null'],
    ...['data.metadata.order=A-42', 'data.metadata.lines=[1]', 'created_at=2026-01-02T03:04:05.678Z'],
  ]
  expect(composeEvent('payment.declined', sets)).toMatchObject({
    created_at: '2026-01-02T03:04:05.678Z',
    data: {
      ...{ decline_reason: 'lost_card', amount_cents: 9_900, order_id: '0042', risk_score: null },
      metadata: { order: 'A-42', lines: [1] },
    },
  })
  expect(composeEvent('webhook.test', ['data.any.thing=1']).data).toEqual({ any: { thing: 1 } })
  expect(composeEvent('payment.approved', ['data.card=null']).data).toMatchObject({ card: null })
})

test.each([
  ['data.decline_reson=lost_card', 'There is no field data.decline_reson.'],
  ['data.card.owner=Ana', 'There is no field data.card.owner.'],
  ['__proto__.polluted=1', 'There is no field __proto__.polluted.'],
  ['data.metadata.__proto__.polluted=1', 'There is no field data.metadata.__proto__.polluted.'],
  ['data.amount_cents=abc', 'data.amount_cents has to be of type integer.'],
  ['data.amount_cents=0', 'data.amount_cents has to be at least 1.'],
  ['data.currency=pesos', 'data.currency has to match ^[A-Z]{3}$.'],
  ['data.decline_reason=bad_mood', 'data.decline_reason has to be one of card_declined'],
  ['data.card={"brand":"visa"}', 'data.card needs last4 too.'],
  ['data.card={"brand":"visa","last4":"4242","cvc":"123"}', 'There is no field data.card.cvc.'],
  ['data.captured_at=soon', 'data.captured_at has to be a time'],
  ['data.id=null', 'data.id has to match ^txn_'],
  ['event=payment.approved', 'event has to be one of payment.declined.'],
  ['data', 'Expected --set path=value, got data.'],
])('--set %s is refused: %s', (set, problem) => {
  expect(() => composeEvent('payment.declined', [set])).toThrow(problem)
})

test('an unknown event and an unknown field are refused with names that are like them', () => {
  expect(() => composeEvent('payment.canceled', [])).toThrow(
    expect.objectContaining({ hint: 'Did you mean: payment.cancelled' }),
  )
  expect(() => composeEvent('payment.declined', ['data.decline_reson=x'])).toThrow(
    expect.objectContaining({ hint: 'Did you mean: data.decline_reason' }),
  )
})
