import { readLogSize } from '../src/retention/log-size.ts'
import { fullMessages, type LogWorld, logWorld } from './log-world.ts'

let world: LogWorld
beforeAll(async () => {
  world = await logWorld()
})
afterAll(() => world.close())

const events = 2_000

test("reads the size of the log's events, indexes and tree on disk under the role of the service", async () => {
  const empty = await readLogSize(world.log.db)
  for (let batch = 0; batch < events / 500; batch++) await world.append(fullMessages(500))
  const size = await readLogSize(world.log.db)
  // The content alone is in the row twice, as bytes and as columns.
  const [stored] = await world.sql<{ content: string; hashes: string }>(
    'select (select sum(length(content)) from audit.events) as content, count(*) * 32 as hashes from audit.events',
  )
  const { content, hashes } = stored ?? {}
  expect(Number(hashes)).toBe(events * 32)
  expect(size - empty).toBeGreaterThan(1.5 * Number(content) + Number(hashes))
  expect(size - empty).toBeLessThan(3_000 * events)
  const [everything] = await world.sql<{ size: string }>('select pg_database_size(current_database()) as size')
  expect(size).toBeLessThan(Number(everything?.size))
})
