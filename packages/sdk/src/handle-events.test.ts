import { webhookCatalog } from '@cobro/contracts'
import type { WebhookEvent } from './generated/types.ts'
import { handleEvents, isCheckoutSession, isPaymentLink, isTransaction } from './handle-events.ts'

const eventOf = (name: string, id: string) =>
  ({ id: 'evt_1', object: 'event', event: name, merchant_id: 'mrc_1', created_at: '', data: { id } }) as WebhookEvent

test('an event goes to its own handler, with the type of its data', async () => {
  const handled: unknown[] = []
  const handle = handleEvents({
    'payment.approved': async ({ amount_cents, id }, event) => {
      const cents: number = amount_cents
      handled.push([id, cents, event.event])
    },
    'payment.failed': data => {
      if (isTransaction(data)) handled.push(data.decline_reason ?? 'none')
      else if (isPaymentLink(data)) handled.push(data.concepto)
      else handled.push(data.url)
    },
  })
  await handle(eventOf('payment.approved', 'txn_1'))
  await handle(eventOf('payment.failed', 'txn_2'))
  await handle(eventOf('payment.refunded', 'txn_3'))
  for (const unknown of ['payment.split', 'constructor', '__proto__']) await handle(eventOf(unknown, 'txn_4'))
  expect(handled).toEqual([['txn_1', undefined, 'payment.approved'], 'none'])
})

test('the failure of a handler is the failure of the call', async () => {
  const handle = handleEvents({
    'payment.approved': async () => {
      throw new Error('the shop is closed')
    },
  })
  await expect(handle(eventOf('payment.approved', 'txn_1'))).rejects.toThrow('the shop is closed')
})

test('every event of the catalog can have a handler', async () => {
  const names = Object.keys(webhookCatalog)
  const handled: string[] = []
  const handlers = Object.fromEntries(
    names.map(name => [name, (_data: unknown, event: { event: string }) => handled.push(event.event)]),
  )
  for (const name of names) await handleEvents(handlers)(eventOf(name, 'txn_1'))
  expect(handled).toEqual(names)
})

test('the prefix of its id says what an object is', () => {
  const kinds = (id: string) => [isTransaction, isCheckoutSession, isPaymentLink].map(is => is({ id }))
  expect(['txn_1', 'cs_1', 'pl_1', 'whk_1'].map(kinds)).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [false, false, false],
  ])
})
