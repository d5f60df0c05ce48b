import { type Id, newId } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import { commandMessage, type Database, eventMessage, openDatabase } from '@cobro/database'
import { openPublisher, type Publisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { type EventTap, tapEvents, waitFor, withUnknownFields } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { voucherCommand } from './scripted-acquirer.ts'
import { transactionsUnderTest } from './transactions-service.ts'
import { voucherAcquirer } from './voucher-acquirer.ts'

let acquirer: Awaited<ReturnType<typeof voucherAcquirer>>
let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
let tap: EventTap
let publisher: Publisher
beforeAll(async () => {
  acquirer = await voucherAcquirer()
  service = await transactionsUnderTest(acquirer.url)
  const bus = { url: service.amqpUrl, namespace: service.namespace }
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  tap = await tapEvents(bus)
  publisher = openPublisher({ ...bus, logger: createLogger('test', 'silent') })
  await waitFor(() => publisher.connected())
})
afterAll(async () => {
  await publisher.close()
  await tap.close()
  await db.close()
  await service.stop()
  await acquirer.close()
})

function endOf(command: ReturnType<typeof voucherCommand>, status: 'expired' | 'cancelled') {
  const now = new Date()
  const { payable_id: id, merchant_id, correlation_id, amount_cents, currency } = command
  return eventMessage(`payment.${status}`, {
    ...{ id, merchant_id, correlation_id, amount_cents, currency, status },
    ...{ url: 'https://pay.example.com', reference: null, concepto: 'Renta', transaction_id: null, payer_email: null },
    ...{
      payment_method_types: ['cash'],
      metadata: null,
      created_at: now,
      updated_at: now,
      expires_at: now,
      paid_at: null,
    },
  } as never)
}

type Named = { id: string; name: string }
const outgoing = (message: Named) => ({ id: message.id, body: Buffer.from(JSON.stringify(message)) })
const send = (exchange: 'events' | 'commands', message: Named) =>
  publisher.publish(exchange, message.name, outgoing(message))
/** Sends a message that has no binding to the service by the retry queue, and waits until it has left that. */
async function sendUnbound(exchange: 'events' | 'commands', message: Named) {
  const queue = `transactions.${exchange}` as const
  await publisher.retryLater(queue, outgoing(message))
  await waitFor(async () => (await service.readyMessageCount(busNames(service.namespace).retry(queue))) === 0)
}

const rowOf = ({ payment_intent_id }: { payment_intent_id: Id<'pi'> }) =>
  db.read(em => em.findOne(TransactionEntity, { payment_intent_id }))

test.each(['expired', 'cancelled'] as const)(
  'a voucher requested over the broker is withdrawn when its link is %s',
  async status => {
    const command = voucherCommand({ payable_id: newId('pl') })
    const key = `${command.payment_intent_id}:1`
    const row = () => rowOf(command)

    await send('commands', commandMessage('payment.voucher', command))
    await waitFor(() => tap.names(command.correlation_id).includes('payment_attempt.settled'))
    expect(await row()).toMatchObject({ status: 'pending', voucher_reference: expect.any(String) })

    const end = endOf(command, status)
    await send('events', end)
    await send('events', end)
    await waitFor(async () => (await row())?.status === status && (await row())?.next_check_at === null)
    expect(acquirer.paths).toEqual(expect.arrayContaining([`/v1/vouchers/${key}/withdraw`]))
    await waitFor(() => tap.names(command.correlation_id).length >= 5)
    expect(tap.names(command.correlation_id).toSorted()).toEqual(
      ['payment.pending', 'payment_attempt.settled', end.name, end.name, 'payment_attempt.settled'].toSorted(),
    )
  },
)

test('commands and events of a newer release are handled when known and otherwise ignored', async () => {
  const command = voucherCommand({ payable_id: newId('pl') })
  const message = commandMessage('payment.voucher', command)
  const end = endOf(command, 'expired')

  await sendUnbound('commands', { ...message, id: newId('cmd'), name: 'payment.split' })
  await send('commands', withUnknownFields(message))
  await waitFor(async () => (await rowOf(command))?.status === 'pending')
  await sendUnbound('events', { ...end, id: newId('evt'), name: 'payment.split' })
  await send('events', withUnknownFields(end))
  await waitFor(async () => (await rowOf(command))?.status === 'expired')

  const names = busNames(service.namespace)
  for (const queue of ['transactions.commands', 'transactions.events'] as const)
    for (const queueName of [names.retry(queue), names.deadLetter(queue)])
      expect(await service.readyMessageCount(queueName)).toBe(0)
})
