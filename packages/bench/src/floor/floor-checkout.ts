import { randomUUID } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { floorOutbox } from './floor-outbox.ts'
import { type Part, type Row, runStatement } from './floor-statements.ts'
import { caller, connect, openBroker, runFloorProcess, serve } from './floor-wiring.ts'

/** Creates sessions, and pays them through the sandbox and transactions. */
runFloorProcess(async ({ postgresUrl, amqpUrl, urls, rows }) => {
  const pool = connect(postgresUrl, 'checkout')
  const { publish, consume } = await openBroker(amqpUrl)
  const outbox = floorOutbox(pool, 'checkout', publish)
  const tokenize = caller(urls['acquirer-sandbox'] ?? '')
  const waiting = new Map<string, (result: { transaction_id: string }) => void>()
  let paymentIds = Date.now() * 1_000

  const create = async () => {
    const [id, intent, correlation_id] = [newId('cs'), newId('pi'), newId('corr')]
    const fresh = { status: 'pending', transaction_status: 'Pending', transaction_id: null, attempt_count: 0 }
    const ids = { id, payment_intent_id: intent, correlation_id, payment_id: paymentIds++ }
    const session = { ...rows.session, ...fresh, ...ids, created_at: new Date(), modified_at: new Date() }
    const event = { id: newId('evt'), name: 'checkout_session.created', data: session }
    await outbox.write('create', [{ into: 'sessions', rows: [session] }], [event])
    return { id, payment_intent_id: intent, correlation_id }
  }

  const pay = async (session: Row, card_jwe: string) => {
    const intent = String(session.payment_intent_id)
    const key = { ...rows.idempotencyKey, id: randomUUID(), status: null, answer: null }
    const open = { status: 'running', card: null, transaction_id: null, settled_at: null, created_at: new Date() }
    const ids = { payment_intent_id: intent, payable_id: session.id, correlation_id: session.correlation_id }
    const attempt = { ...rows.attempt, ...open, ...ids, idempotency_id: key.id }
    await runStatement(pool, 'begin_attempt', [
      { into: 'idempotency_keys', rows: [key] },
      { into: 'payment_attempts', rows: [attempt] },
      { sql: 'update floor.sessions set attempt_count = 1 where id = $1', values: [session.id] },
    ])
    const { token } = await tokenize('/tokens', { card_jwe, attempt: `${intent}:1` })
    const settled = new Promise<{ transaction_id: string }>(resolve => waiting.set(intent, resolve))
    const card = {
      sql: 'update floor.payment_attempts set card = $1 where payment_intent_id = $2',
      values: [rows.attempt.card, intent],
    }
    await outbox.write(
      'note_card',
      [card],
      [
        { id: newId('evt'), name: 'payment.attempted', data: { ...attempt, card: rows.attempt.card } },
        { id: newId('cmd'), name: 'commands.charge', data: { ...ids, token } },
      ],
    )
    const { transaction_id } = await settled
    const answer = { status: 'approved', transaction_id }
    const completed = { ...rows.session, ...ids, id: session.id, transaction_id }
    await outbox.write('settle', settleParts({ id: session.id, intent, key: key.id, answer }), [
      { id: newId('evt'), name: 'checkout_session.completed', data: completed },
    ])
    return answer
  }

  // Reply and event tell the same. The second one is known and only acknowledged.
  await consume('checkout', ['replies.charge', 'payment_attempt.settled'], ({ data }, done) => {
    waiting.get(data.payment_intent_id)?.(data)
    waiting.delete(data.payment_intent_id)
    done()
  })
  return serve((path, body) => (path === '/sessions' ? create() : pay(body.session, body.card_jwe)))
})

/** What settling a session, its attempt and the call's key changes. */
function settleParts(settled: {
  id: unknown
  intent: string
  key: string
  answer: { transaction_id: string }
}): Part[] {
  const { id, intent, key, answer } = settled
  const { transaction_id } = answer
  return [
    { into: 'checkout_inbox', rows: [{ message_id: transaction_id }] },
    {
      sql: `update floor.sessions set transaction_id = $1, status = 'completed', transaction_status = 'Approved', modified_at = now() where id = $2`,
      values: [transaction_id, id],
    },
    {
      sql: `update floor.payment_attempts set status = 'approved', transaction_id = $1, resolve_at = null, settled_at = now() where payment_intent_id = $2`,
      values: [transaction_id, intent],
    },
    {
      sql: 'update floor.idempotency_keys set status = 200, answer = $1 where id = $2',
      values: [JSON.stringify(answer), key],
    },
  ]
}
