import type { Message } from '@cobro/contracts'
import { type Inbox, isDatabaseUnavailable } from '@cobro/database'
import { queues } from '@cobro/messaging'
import { batchWriter, captureTrace, inNewTrace } from '@cobro/runtime'
import type { Sender } from './sending/start-sender.ts'
import type { AtStep } from './steps.ts'
import { fanOutEvents, type TracedMessage } from './webhook-deliveries/fan-out-events.ts'

interface Deps {
  inbox: Inbox
  sender: Pick<Sender, 'wake'>
  atStep: AtStep
}

/** What another release has bound to the queue besides is none of this one's. */
const heard = new Set(queues['webhooks-dispatcher.events'].bindings)

/** What is fanned out in one transaction. OpenTelemetry keeps no more than 128 links of a span. */
const maxBatch = 100

/**
 * Every event of the catalog → its deliveries. The data passes through as it came: merchants get fields that this release
 * does not know yet. What arrives while a transaction is under way goes together into the next one.
 */
export function eventHandler(deps: Deps) {
  const write = (batch: TracedMessage[]) => keepEvents(deps, batch)
  const keep = batchWriter({ write, maxItems: maxBatch, isUnavailable: isDatabaseUnavailable })
  return async (message: Message): Promise<void> => {
    if (!heard.has(message.name) || message.merchant_id === null) return
    await deps.atStep('received')
    await keep({ message, trace: captureTrace() })
  }
}

function keepEvents({ inbox, sender, atStep }: Deps, batch: TracedMessage[]): Promise<void> {
  const links = batch.map(({ trace }) => trace)
  const attributes = { 'messaging.batch.message_count': batch.length }
  return inNewTrace('fan out events', { links, attributes }, async () => {
    let webhookIds: string[] = []
    const ids = batch.map(({ message }) => message.id)
    await inbox.onceEach(ids, async (tx, fresh) => {
      const messages = batch.filter(({ message }) => fresh.has(message.id))
      webhookIds = await fanOutEvents(tx, messages)
      for (const _each of messages) await atStep('fanned_out')
    })
    for (const _each of batch) await atStep('kept')
    sender.wake(webhookIds)
  })
}
