import { type Message, webhookCatalog } from '@cobro/contracts'
import type { Inbox } from '@cobro/database'
import type { Sender } from './sending/start-sender.ts'
import type { AtStep } from './steps.ts'
import { fanOutEvent } from './webhook-deliveries/fan-out-event.ts'

/** Tests are this service's own: each is on its way to its one endpoint when it is published. */
const own = 'webhook.test'

/**
 * Every event of the catalog → its deliveries. The data passes through as it came: merchants get fields that this release
 * does not know yet.
 */
export const eventHandler = (deps: { inbox: Inbox; sender: Sender; atStep: AtStep }) => async (message: Message) => {
  const { name, merchant_id } = message
  if (!Object.hasOwn(webhookCatalog, name) || name === own || merchant_id === null) return
  await deps.atStep('received')
  let webhookIds: string[] = []
  await deps.inbox.once(message.id, async tx => {
    webhookIds = await fanOutEvent(tx, message)
    await deps.atStep('fanned_out')
  })
  await deps.atStep('kept')
  deps.sender.wake(webhookIds)
}
