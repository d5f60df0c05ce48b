import { webhookCatalog } from '@cobro/contracts'
import { exampleEvent } from '@cobro/sdk/testing'

/** Returns an example of each event, by its name. */
export function eventExamples(): Record<string, unknown> {
  const names = Object.keys(webhookCatalog) as Parameters<typeof exampleEvent>[0][]
  return Object.fromEntries(names.map(name => [name, exampleEvent(name)]))
}
