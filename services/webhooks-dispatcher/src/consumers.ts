import type { Message } from '@cobro/contracts'
import { queues } from '@cobro/contracts/broker'
import { type Inbox, isDatabaseUnavailable } from '@cobro/database'
import { captureTrace, groupCommit, inNewTrace } from '@cobro/runtime'
import type { CallWaits } from '@cobro/service'
import type { ReachFailpoint } from './delivery-queue/failpoints.ts'
import type { Sender } from './sending/start-sender.ts'
import { fanOutEvents, type TracedMessage } from './webhook-deliveries/fan-out-events.ts'

interface Deps {
  inbox: Inbox
  sender: Pick<Sender, 'sendNew'>
  waits: Pick<CallWaits, 'wake'>
  failpoint: ReachFailpoint
}

/** Another release may have bound more events to the queue. This release ignores them. */
const consumed = new Set(queues['webhooks-dispatcher.events'].bindings)

/** The most events in one statement. OpenTelemetry keeps at most 128 links of a span. */
const maxBatch = 100

/**
 * Returns a handler that creates deliveries for every event of the webhook catalog.
 * Passes data unchanged, so that merchants get newer fields. Events that come meanwhile are written in the next statement.
 */
export function eventHandler(deps: Deps) {
  const write = (batch: TracedMessage[]) => storeEvents(deps, batch)
  const store = groupCommit({ write, maxItems: maxBatch, isUnavailable: isDatabaseUnavailable })
  return async (message: Message): Promise<void> => {
    if (!consumed.has(message.name) || message.merchant_id === null) return
    await deps.failpoint('received')
    await store({ message, trace: captureTrace() })
  }
}

function storeEvents({ inbox, sender, waits, failpoint }: Deps, batch: TracedMessage[]): Promise<void> {
  const links = batch.map(({ trace }) => trace)
  const attributes = { 'messaging.batch.message_count': batch.length }
  return inNewTrace('fan out events', { links, attributes }, async () => {
    await sender.sendNew(async claim => {
      const fannedOut = await fanOutEvents(inbox, batch, claim)
      waits.wake(new Set(batch.map(({ message }) => String(message.merchant_id))))
      for (const _event of batch) await failpoint('stored')
      return fannedOut
    })
  })
}
