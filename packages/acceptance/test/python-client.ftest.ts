import { join } from 'node:path'
import { webhookCatalog } from '@cobro/contracts'
import { payByCard } from '@cobro/local-stack'
import { exampleEvent } from '@cobro/sdk/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { generatePythonClient, installPythonGenerator, type PythonClient } from '../src/python-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

const script = join(import.meta.dirname, 'fixtures', 'round-trip.py')
/** Skipped where Python or its packages are missing. */
const withPython = (await installPythonGenerator()) ? test : test.skip

let stack: AcceptanceStack
let client: PythonClient | undefined
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
    client = await generatePythonClient()
    expect(client.output.trim()).toMatch(/^Generating \S+$/)
    const { base_url, hosted_url, api_key, second } = stack.stack
    const step = (name: string, ...args: string[]) => client?.run(script, [name, ...args])

    const opened = (await step('opened', base_url, api_key)) as { session: string }
    expect(opened).toEqual({ session: expect.stringMatching(/^cs_/), same: true, link: 25_000 })
    expect((await payByCard(hosted_url, opened.session, '4242424242424242')).status).toBe(200)
    expect(await step('refunded', base_url, api_key)).toEqual({ status: 'refunded', amount: 25_000 })
    expect(await step('refused', base_url, api_key, second.api_key, opened.session)).toEqual({
      statuses: [400, 401, 403, 404, 409, 422, 403],
      errors: true,
    })
    expect(await step('paged', base_url, api_key)).toEqual({ rows: 250, distinct: 250 })
    const names = Object.keys(webhookCatalog) as Parameters<typeof exampleEvent>[0][]
    const examples = JSON.stringify(Object.fromEntries(names.map(name => [name, exampleEvent(name)])))
    expect(await step('decoded', examples)).toEqual({ events: 14 })
  },
)
