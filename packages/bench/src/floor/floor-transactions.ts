import { newId } from '@cobro/contracts'
import { floorOutbox } from './floor-outbox.ts'
import { runStatement } from './floor-statements.ts'
import { caller, connect, type FloorMessage, openBroker, runFloorProcess } from './floor-wiring.ts'

/** Admits charges, has the sandbox make them, and posts them to the ledger. */
runFloorProcess(async ({ postgresUrl, amqpUrl, urls, rows }) => {
  const pool = connect(postgresUrl, 'transactions')
  const { publish, consume } = await openBroker(amqpUrl)
  const outbox = floorOutbox(pool, 'transactions', publish)
  const charge = caller(urls['acquirer-sandbox'] ?? '')

  const settle = async ({ data }: FloorMessage) => {
    const { payment_intent_id, payable_id, correlation_id, token } = data
    const [id, now] = [newId('txn'), new Date()]
    const ids = { id, payment_intent_id, payable_id, correlation_id, created_at: now, updated_at: now }
    const open = { status: 'pending', captured_at: null, acquirer_reference: null, settled_event_id: null }
    await runStatement(pool, 'admit', [{ into: 'transactions', rows: [{ ...rows.transaction, ...ids, ...open }] }])
    const { reference } = await charge('/charges', { attempt: `${payment_intent_id}:1`, token })
    const settledId = newId('evt')
    const result = { payment_intent_id, transaction_id: id, status: 'approved' }
    const parts = [
      { into: 'ledger_positions', rows: [{ ...rows.position, transaction_id: id }] },
      { into: 'ledger_entries', rows: [{ ...rows.entry, id: newId('led'), transaction_id: id, created_at: now }] },
      {
        sql: `update floor.transactions set status = 'approved', acquirer_reference = $1, settled_event_id = $2,
          next_check_at = null, updated_at = now(), captured_at = now() where id = $3`,
        values: [reference, settledId, id],
      },
    ]
    await outbox.write('post', parts, [
      {
        id: newId('evt'),
        name: 'payment.approved',
        data: { ...rows.transaction, ...ids, acquirer_reference: reference },
      },
      { id: settledId, name: 'payment_attempt.settled', data: result },
    ])
    await publish({ id: newId('cmd'), name: 'replies.charge', data: result })
  }
  await consume('transactions', ['commands.charge'], (message, done) => void settle(message).then(done))
  return undefined
})
