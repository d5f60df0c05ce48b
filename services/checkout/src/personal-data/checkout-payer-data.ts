import { checkoutSession, paymentLinks, withoutEmail } from '@cobro/contracts'
import { type Database, type Emit, findRows, type Tx } from '@cobro/database'
import { erasureBatch, isNothing, type PayerData } from '@cobro/service'
import { z } from 'zod'
import { LinkEntity } from '../payables/link-entity.ts'
import { SessionEntity } from '../payables/session-entity.ts'
import { PaymentAttemptEntity } from '../payment-attempts/payment-attempt-entity.ts'
import { openStatuses, sqlStatuses } from '../payment-attempts/payment-attempt-states.ts'

/**
 * The sessions of a payer: those whose customer has the address, and those whose customer has none and that the payer has paid or
 * tried to pay. A customer with another address is another person.
 */
const sessionsOfPayer = `
  select id, id as payable_id from checkout.checkout_sessions where lower(customer_email) = ?
  union all
  select distinct s.id, s.id from checkout.payment_attempts a join checkout.checkout_sessions s on s.id = a.payable_id
  where lower(a.payer_email) = ? and s.customer_email is null and s.customer is not null`

const linksOfPayer = 'select id, id as payable_id from checkout.payment_links where lower(payer_email) = ?'

const attemptsOfPayer = `
  select payment_intent_id, number, payable_id from checkout.payment_attempts where lower(payer_email) = ?`

/** While a payment runs or a voucher can be paid, the transaction may still be created with what its attempt says. */
const notBeingPaid = `not exists (
  select from checkout.payment_attempts o where o.payable_id = mine.payable_id and o.status in (${sqlStatuses(openStatuses)}))`

/** Materialized: with a limit, the planner may read the whole table instead of the payer's rows by their index. */
const someOf = (rows: string, columns: string) =>
  `with mine as materialized (${rows}) select ${columns} from mine where ${notBeingPaid} limit ${erasureBatch}`

const lockedIds = (rows: string) => `id = any(array(${someOf(rows, 'id')})) order by id for update`

const eraseAttempts = `
  update checkout.payment_attempts set payer_email = null
  where (payment_intent_id, number) in (${someOf(attemptsOfPayer, 'payment_intent_id, number')})
  returning number`

const countPayerRows = `
  select ((select count(*) from (${sessionsOfPayer}) s) + (select count(*) from (${linksOfPayer}) l)
    + (select count(*) from (${attemptsOfPayer}) a))::integer as count`

/** What an export shows of an attempt: not why it was declined, which the payer may learn from its transaction only. */
const shownAttempt = [
  ...([
    'payment_intent_id',
    'number',
    'payable_id',
    'merchant_id',
    'status',
    'payment_method',
    'amount_cents',
  ] as const),
  ...(['currency', 'card', 'payer_email', 'created_at', 'settled_at'] as const),
] satisfies (keyof (typeof PaymentAttemptEntity)['~entity'])[]

/** How checkout exports and erases what it holds about a payer. */
export const checkoutPayerData: PayerData = {
  schema: 'checkout',
  entities: [SessionEntity, LinkEntity, PaymentAttemptEntity],
  find,
  eraseBatch,
  countWaiting: async (db: Database, email: string) => {
    const [row] = await db.execute<{ count: number }>(countPayerRows, [email, email, email, email])
    return row?.count ?? 0
  },
}

async function find(tx: Tx, emit: Emit, email: string) {
  const sessions = await findRows(tx, SessionEntity, `id in (select id from (${sessionsOfPayer}) s) order by id`, [
    ...[email, email],
  ])
  const links = await findRows(tx, LinkEntity, 'lower(payer_email) = ? order by id', [email])
  const ofPayer = 'lower(payer_email) = ? order by payment_intent_id, number'
  const attempts = await findRows(tx, PaymentAttemptEntity, ofPayer, [email])
  const counts = { sessions: sessions.length, links: links.length, payment_attempts: attempts.length }
  emit('payer.exported', { id: null, ...counts })
  return {
    sessions: sessions.map(session => z.encode(checkoutSession, session)),
    links: links.map(link => z.encode(paymentLinks.row, link)),
    payment_attempts: attempts.map(attempt => Object.fromEntries(shownAttempt.map(field => [field, attempt[field]]))),
  }
}

/**
 * Sessions and links that can still be paid lose the address too: it only fills a field of the page in advance. Sessions come first:
 * some of them are found by an attempt.
 */
async function eraseBatch(tx: Tx, emit: Emit, { email, always }: { email: string; always: boolean }) {
  const sessions = await findRows(tx, SessionEntity, lockedIds(sessionsOfPayer), [email, email])
  for (const session of sessions) {
    session.customer = null
    session.customer_email = null
    session.metadata = withoutEmail(session.metadata, email)
  }
  const links = await findRows(tx, LinkEntity, lockedIds(linksOfPayer), [email])
  for (const link of links) {
    link.payer_email = null
    link.metadata = withoutEmail(link.metadata, email)
  }
  const attempts = sessions.length < erasureBatch ? await tx.execute<object[]>(eraseAttempts, [email]) : []
  const counts = { sessions: sessions.length, links: links.length, payment_attempts: attempts.length }
  if (always || !isNothing(counts)) emit('payer.erased', { id: null, ...counts })
  return counts
}
