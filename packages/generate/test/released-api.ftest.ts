import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { breakingChanges, buildOasdiff, type Change } from './oasdiff.ts'

interface Accepted {
  change: string
  text: string
  because: string
}

const root = join(import.meta.dirname, '..', '..', '..')
const released = join(root, 'releases', '0.1.0.json')
const current = join(root, 'openapi.json')
/** Skipped where oasdiff cannot be built. */
const gate = (await buildOasdiff()) ? test : test.skip

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'released-api-'))
})
afterAll(() => rm(folder, { recursive: true }))

const isOf = ({ id, text }: Change, { change, text: part }: Accepted) => id === change && text.includes(part)

gate(
  'the API has no change since its last release that may break clients, except for those with a reason',
  async () => {
    const accepted: Accepted[] = JSON.parse(await readFile(join(root, 'releases', 'accepted-changes.json'), 'utf8'))
    const changes = await breakingChanges(released, current)
    expect(changes.filter(change => !accepted.some(one => isOf(change, one)))).toEqual([])
    expect(accepted.filter(one => !changes.some(change => isOf(change, one)))).toEqual([])
  },
)

gate.each<[string, (description: any) => void, string]>([
  ['an operation', ({ paths }) => delete paths['/api/me'], 'api-path-removed-without-deprecation'],
  ['an event', ({ webhooks }) => delete webhooks['payment.approved'], 'webhook-removed'],
  [
    'a field of an object',
    ({ components }) => delete components.schemas.Transaction.properties.risk_score,
    'response-required-property-removed',
  ],
  [
    'a field of every event',
    ({ components }) => delete components.schemas.WebhookEvent.properties.merchant_id,
    'request-property-removed',
  ],
])('a description without %s is refused', async (_what, remove, change) => {
  const description = JSON.parse(await readFile(current, 'utf8'))
  remove(description)
  const file = join(folder, 'changed.json')
  await writeFile(file, JSON.stringify(description))
  const changes = await breakingChanges(current, file)
  expect(changes.map(({ id }) => id)).toContain(change)
})
