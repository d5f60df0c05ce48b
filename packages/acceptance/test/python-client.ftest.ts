import { join } from 'node:path'
import { payByCard } from '@cobro/local-stack'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { eventExamples } from '../src/generated-clients/event-examples.ts'
import type { GeneratedClient } from '../src/generated-clients/installed-tool.ts'
import { generatePythonClient, installPythonGenerator } from '../src/generated-clients/python-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

const script = join(import.meta.dirname, 'fixtures', 'round-trip.py')
/** Skipped where Python or its packages are missing. */
const withPython = (await installPythonGenerator()) ? test : test.skip

let stack: AcceptanceStack
let client: GeneratedClient | undefined
beforeAll(async () => {
  stack = await sharedStack()
})
afterAll(async () => {
  await client?.remove()
  await stack?.stop()
})

withPython(
  'a client that is generated from the description without a warning makes a payment’s whole way',
  async () => {
    client = await generatePythonClient(script)
    expect(client.output.trim()).toMatch(/^Generating \S+$/)
    const { base_url, hosted_url, api_key, second } = stack.stack
    const step = (name: string, ...args: string[]) => client?.run([name, ...args])

    const opened = (await step('opened', base_url, api_key)) as { session: string }
    expect(opened).toEqual({ session: expect.stringMatching(/^cs_/), same: true, link: 25_000 })
    expect((await payByCard(hosted_url, opened.session, '4242424242424242')).status).toBe(200)
    expect(await step('refunded', base_url, api_key)).toEqual({ status: 'refunded', amount: 25_000 })
    expect(await step('refused', base_url, api_key, second.api_key, opened.session)).toEqual({
      statuses: [400, 401, 403, 404, 409, 422, 403],
      errors: true,
    })
    expect(await step('paged', base_url, api_key)).toEqual({ rows: 250, distinct: 250 })
    expect(await step('decoded', JSON.stringify(eventExamples()))).toEqual({ events: 14 })
  },
)
