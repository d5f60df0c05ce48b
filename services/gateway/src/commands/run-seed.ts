import { text } from 'node:stream/consumers'
import { openDatabase } from '@cobro/database'
import { type OnStop, reveal } from '@cobro/runtime'
import type { SeedConfig } from '../config.ts'
import { entities, schema } from '../gateway-schema.ts'
import { seedData, seedInput } from './seed-data.ts'

/** The seed command: reads the wanted data as JSON from stdin and prints the result as one line of JSON. */
export async function runSeed(config: SeedConfig, onStop: OnStop): Promise<void> {
  const input = seedInput.parse(JSON.parse(await text(process.stdin)))
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities })
  onStop(db.close)
  const keySettings = { environment: config.COBRO_ENV, peppers: config.API_KEY_PEPPERS }
  process.stdout.write(`${JSON.stringify(await seedData({ db, keySettings }, input))}\n`)
}
