import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from './acceptance-stack.ts'

const names = ['payment.approved', 'payment_link.paid', 'checkout_session.created'] as const
const batch = 20

interface Publishing {
  merchant_id: string
  /** The least number of events. */
  events: number
  /** The pause between two batches of 20 until `isDone`. */
  pauseMs: number
  /** Whether the least number is enough. */
  isDone: () => boolean
  /** Ends it at once. */
  signal: AbortSignal
}

/** Publishes events of a merchant until `isDone`, and at least the number wanted. Returns their ids. */
export async function publishEvents(
  { bus }: Pick<AcceptanceStack, 'bus'>,
  { merchant_id, events, pauseMs, isDone, signal }: Publishing,
): Promise<string[]> {
  const publisher = openPublisher({ ...bus, logger: createLogger('acceptance', 'silent') })
  const ids: string[] = []
  const publish = async (number: number) => {
    const id = newId('evt')
    const name = names[number % names.length] ?? names[0]
    const body = {
      ...{ id, name, merchant_id, occurred_at: new Date().toISOString(), target_id: null },
      ...{ correlation_id: newId('corr'), request_id: null, actor: { type: 'system', id: null } },
      data: { id: newId('txn'), merchant_id, amount_cents: 25_000, currency: 'MXN' },
    }
    await publisher.publish('events', name, { id, body: Buffer.from(JSON.stringify(body)) })
    ids.push(id)
  }
  try {
    await waitFor(publisher.connected)
    for (let made = 0; !signal.aborted && (made < events || !isDone()); made += batch) {
      await Promise.all(Array.from({ length: batch }, (_, offset) => publish(made + offset)))
      if (!isDone()) await pause(pauseMs)
    }
  } finally {
    await publisher.close()
  }
  return ids
}
