import { newId, webhookCatalog } from '@cobro/contracts'
import { eventHandler } from './consumers.ts'
import { ignoreFailpoints } from './delivery-queue/failpoints.ts'
import type { Sender } from './sending/start-sender.ts'

const messageOf = (name: string) => ({
  ...{ id: newId('evt'), name, occurred_at: new Date().toISOString(), merchant_id: newId('mrc'), target_id: null },
  ...{ correlation_id: null, request_id: null, actor: { type: 'system' as const, id: null }, data: {} },
})

test('the dispatcher stores every event of the webhook catalog except webhook.test, and no other events', async () => {
  const stored: string[] = []
  const byId = new Map<string, string>()
  const inbox = {
    once: async () => true,
    onceEach: async <Row>(ids: string[]) => {
      stored.push(...ids.map(id => byId.get(id) ?? ''))
      return { fresh: ids.length, woken: [], leased: [] } as Row
    },
    prune: async () => undefined,
    ping: async () => undefined,
  }
  const sender: Pick<Sender, 'sendNew'> = { sendNew: async fanOut => void (await fanOut(undefined)) }
  const waits = { wake: () => undefined }
  const handle = eventHandler({ inbox, sender, waits, failpoint: ignoreFailpoints })
  for (const name of [...Object.keys(webhookCatalog), 'http.request', 'webhook.delivered']) {
    const message = messageOf(name)
    byId.set(message.id, name)
    await handle(message)
  }
  expect([...stored, 'webhook.test'].sort()).toEqual(Object.keys(webhookCatalog).sort())
})
