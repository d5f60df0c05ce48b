import { waitFor } from '@cobro/testing'
import type { AttemptWorld, TestPayable } from './attempt-world.ts'

/** The final outcome of a session or link. `open`: it is still payable, and nothing was charged. */
export type Ending = 'approved' | 'open' | 'expired' | 'cancelled'

const statuses = {
  sessions: { approved: 'completed', open: 'pending', expired: 'expired', cancelled: 'cancelled' },
  links: { approved: 'paid', open: 'active', expired: 'expired', cancelled: 'cancelled' },
} as const
const finalEvent = { sessions: 'checkout_session.completed', links: 'payment_link.paid' } as const
const counted = [
  'payment.approved',
  'payment.declined',
  'payment.failed',
  'payment.expired',
  'payment.cancelled',
  ...Object.values(finalEvent),
]

type Counts = Record<string, number>

/**
 * Expects the page, API, transactions, audit log and webhooks to agree about a session or link,
 * no attempt to run, and the acquirer to have charged it once if paid, else never. Returns a one-line summary.
 */
export async function expectAgreement(world: AttemptWorld, payable: TestPayable, ending: Ending): Promise<string> {
  const { kind } = payable
  await waitFor(async () => (await world.attempts(payable)).every(({ status }) => status !== 'running'))
  const status = statuses[kind][ending]
  const read = await waitFor(async () => {
    const found = await readOf(world, payable)
    return found.status === status && found
  })
  const page = await world.clients.payer.call(
    'GET',
    `/hosted/v1/${kind === 'links' ? 'links' : 'checkout'}/${payable.id}`,
  )
  expect(page.body.data).toMatchObject({ status: statuses.sessions[ending], in_progress: false })

  const charged = (await world.charges(payable)).map(charge => charge.status)
  expect(charged.filter(one => one === 'approved')).toHaveLength(ending === 'approved' ? 1 : 0)
  const transactions = await transactionsOf(world, payable)
  expect(transactions.filter(one => one.status === 'approved').map(one => one.id)).toEqual(
    ending === 'approved' ? [read.transaction_id] : [],
  )
  expect(transactions.map(one => one.status)).not.toContain('pending')

  const expected = await expectedEvents(world, payable, ending)
  await waitFor(async () => {
    expect(await eventsNow(world, payable)).toEqual({ logged: expected, announced: expected })
    return true
  })
  const events = Object.entries(expected).map(([name, count]) => `${name} ${count}`)
  const money = transactions.map(one => one.status).join(' ')
  return [kind, charged.join(' '), page.body.data.status, read.status, money, events.join(', ')].join(' | ')
}

/** The events of a session or link so far, to compare with at the end: none may come later. */
export const eventsNow = async (world: AttemptWorld, payable: TestPayable) => ({
  logged: await loggedEvents(world, payable),
  announced: webhookEvents(world, payable),
})

async function readOf({ clients }: AttemptWorld, { kind, id }: TestPayable) {
  const { body } = await clients.merchant.call('GET', `/checkout/v1/${kind}/${id}`)
  return body.data ?? body
}

async function transactionsOf({ clients }: AttemptWorld, { correlation_id }: TestPayable) {
  const path = `/api/transactions?correlation_id=${correlation_id}&limit=200`
  return (await clients.merchant.call('GET', path)).body.data as { id: string; status: string }[]
}

/** Each failed attempt emits one event, and so does the end. An expiry emits a failure as well. */
async function expectedEvents(world: AttemptWorld, payable: TestPayable, ending: Ending): Promise<Counts> {
  const attempts = await world.attempts(payable)
  const ended = (status: string) => attempts.filter(attempt => attempt.status === status).length
  const closes = payable.kind === 'sessions' ? ending !== 'open' : ending === 'approved'
  return withoutZeros({
    'payment.approved': ended('approved'),
    'payment.declined': ended('declined'),
    'payment.failed': ended('failed') + Number(ending === 'expired'),
    'payment.expired': Number(ending === 'expired'),
    'payment.cancelled': Number(ending === 'cancelled'),
    [finalEvent[payable.kind]]: Number(closes),
  })
}

async function loggedEvents({ clients }: AttemptWorld, { correlation_id, merchant_id }: TestPayable): Promise<Counts> {
  const path = `/api/events?correlation_id=${correlation_id}&limit=200`
  const { body } = await clients.operator.call('GET', path, undefined, { 'x-merchant-id': merchant_id })
  return countsOf(body.data.map((event: { action: string }) => event.action))
}

/** A webhook may arrive twice; its id identifies duplicates. */
function webhookEvents({ receiver }: AttemptWorld, { correlation_id }: TestPayable): Counts {
  const mine = receiver.received.filter(({ body }) => body.data.correlation_id === correlation_id)
  return countsOf([...new Map(mine.map(({ body }) => [body.id, body.event as string])).values()])
}

function countsOf(names: string[]): Counts {
  return withoutZeros(Object.fromEntries(counted.map(name => [name, names.filter(one => one === name).length])))
}

function withoutZeros(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
