import { newId, webhookCatalog } from '@cobro/contracts'
import { eventHandler } from './consumers.ts'
import { carryOn } from './steps.ts'

const messageOf = (name: string) => ({
  ...{ id: newId('evt'), name, occurred_at: new Date().toISOString(), merchant_id: newId('mrc'), target_id: null },
  ...{ correlation_id: null, request_id: null, actor: { type: 'system' as const, id: null }, data: {} },
})

test('every event of the catalog is kept but a test, which is on its way already, and nothing else, whatever is bound', async () => {
  const kept: string[] = []
  const byId = new Map<string, string>()
  const inbox = {
    once: async () => true,
    onceEach: async (ids: string[]) => void kept.push(...ids.map(id => byId.get(id) ?? '')),
    prune: async () => undefined,
    ping: async () => undefined,
  }
  const handle = eventHandler({ inbox, sender: { wake: () => undefined }, atStep: carryOn })
  for (const name of [...Object.keys(webhookCatalog), 'http.request', 'webhook.delivered']) {
    const message = messageOf(name)
    byId.set(message.id, name)
    await handle(message)
  }
  expect([...kept, 'webhook.test'].sort()).toEqual(Object.keys(webhookCatalog).sort())
})
