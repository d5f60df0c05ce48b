import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { breakingChanges, buildOasdiff, type Change, type Description } from './oasdiff.ts'

interface Accepted {
  change: string
  text: string
  because: string
}

const root = join(import.meta.dirname, '..', '..', '..')
/** Skipped where oasdiff cannot be built. */
const gate = (await buildOasdiff()) ? test : test.skip

const read = async (...path: string[]) => JSON.parse(await readFile(join(root, ...path), 'utf8'))
const isOf = ({ id, text }: Change, { change, text: part }: Accepted) => id === change && text.includes(part)

/** Returns the description of the newest release. */
async function released(): Promise<Description> {
  const versions = (await readdir(join(root, 'releases'))).filter(name => /^\d+\.\d+\.\d+\.json$/.test(name))
  const newest = versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  return read('releases', String(newest))
}

gate(
  'the API has no change since its last release that may break clients, except for those with a reason',
  async () => {
    const accepted: Accepted[] = await read('releases', 'accepted-changes.json')
    const changes = await breakingChanges(await released(), await read('openapi.json'))
    expect(changes.filter(change => !accepted.some(one => isOf(change, one)))).toEqual([])
    expect(accepted.filter(one => !changes.some(change => isOf(change, one)))).toEqual([])
  },
)

const fieldsOf = ({ components }: Description, name: string) => components.schemas[name].properties

gate.each<[string, (description: Description) => void]>([
  ['an operation is removed', ({ paths }) => delete paths['/api/me']],
  ['an event is removed', ({ webhooks }) => delete webhooks['payment.approved']],
  ['an object loses a field', description => delete fieldsOf(description, 'Transaction').risk_score],
  ['every event loses a field', description => delete fieldsOf(description, 'WebhookEvent').merchant_id],
  [
    'a field of every event becomes optional',
    ({ components }) => components.schemas.WebhookEvent.required.splice(0, 1),
  ],
  [
    'a field of every event may be null',
    description => {
      fieldsOf(description, 'WebhookEvent').merchant_id = { type: ['string', 'null'] }
    },
  ],
])('the comparison finds that %s', async (_what, change) => {
  const current = await read('openapi.json')
  const changed = structuredClone(current)
  change(changed)
  expect(await breakingChanges(current, changed)).not.toEqual([])
})

gate('a new field of an object is no breaking change', async () => {
  const current = await read('openapi.json')
  const changed = structuredClone(current)
  fieldsOf(changed, 'Transaction').installments = { type: 'integer' }
  changed.components.schemas.Transaction.required.push('installments')
  expect(await breakingChanges(current, changed)).toEqual([])
})
