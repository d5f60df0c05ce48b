import { join } from 'node:path'
import { payByCard } from '@cobro/local-stack'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { eventExamples } from '../src/generated-clients/event-examples.ts'
import { buildGoClient, installGoGenerator } from '../src/generated-clients/go-client.ts'
import type { GeneratedClient } from '../src/generated-clients/installed-tool.ts'
import { sharedStack } from '../src/shared-stack.ts'

const program = join(import.meta.dirname, 'fixtures', 'round-trip.go')
/** Skipped where Go or its modules are missing. */
const withGo = (await installGoGenerator()) ? test : test.skip

let stack: AcceptanceStack
let client: GeneratedClient | undefined
beforeAll(async () => {
  stack = await sharedStack()
})
afterAll(async () => {
  await client?.remove()
  await stack?.stop()
})

withGo(
  'a client in Go that is generated without a warning creates, pays and refunds, and reads all events',
  async () => {
    client = await buildGoClient(program)
    expect(client.output).toBe('')
    const { base_url, hosted_url, api_key } = stack.stack
    const step = (name: string, ...args: string[]) => client?.run([name, ...args])

    const opened = (await step('opened', base_url, api_key)) as { session: string }
    expect(opened).toEqual({ session: expect.stringMatching(/^cs_/), same: true, link: 25_000 })
    expect((await payByCard(hosted_url, opened.session, '4242424242424242')).status).toBe(200)
    expect(await step('refunded', base_url, api_key)).toEqual({ status: 'refunded', amount: 25_000 })
    expect(await step('refused', base_url, api_key, opened.session)).toEqual({
      statuses: [400, 401, 403, 404, 409, 422],
      errors: true,
    })
    expect(await step('decoded', JSON.stringify(eventExamples()))).toEqual({ events: 14 })
  },
)
