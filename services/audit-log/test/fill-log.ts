import { openDatabase } from '@cobro/database'
import { createLogger, readConfig, reveal, secretText } from '@cobro/runtime'
import { z } from 'zod'
import { signingKeySetting } from '../src/tree/checkpoint-keys.ts'
import { openWitness } from '../src/tree/checkpoint-witness.ts'
import { seedLog } from './seed-log.ts'

// Fills a log for measurements: `node test/fill-log.ts <events> <merchant>`.
const { DATABASE_URL: url, AUDIT_SIGNING_KEY: key } = readConfig(
  z.object({ DATABASE_URL: secretText, AUDIT_SIGNING_KEY: signingKeySetting }),
)
const [events, merchant = ''] = process.argv.slice(2)

const db = openDatabase({ url: reveal(url), schema: 'audit', entities: [], poolSize: 1 })
const witness = await openWitness(undefined, [key], createLogger('audit-log', 'silent'))
await seedLog({ db, key, witness }, { events: Number(events), merchant })
await db.close()
