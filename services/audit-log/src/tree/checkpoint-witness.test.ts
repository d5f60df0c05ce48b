import { createLogger } from '@cobro/runtime'
import { openWitness } from './checkpoint-witness.ts'

test('a checkpoint that cannot be written outside the database is logged as an error and is still the newest', async () => {
  const texts: string[] = []
  const logger = createLogger('audit-log', 'error', { write: line => void texts.push(JSON.parse(line).msg) })
  const witness = await openWitness('/missing/checkpoints.ndjson', [], logger)
  const checkpoint = { size: 20, note: 'a note', restores: 0 }
  await witness.store(checkpoint)
  expect(texts).toEqual(['cannot write a checkpoint outside the database'])
  expect(witness.newest()).toBe(checkpoint)
})
