import { openDatabase } from '@cobro/database'
import { type OnStop, reveal } from '@cobro/runtime'
import type { SigningKeyConfig } from '../config.ts'
import { entities, schema } from '../gateway-schema.ts'
import type { KeyChange } from '../signing-keys/rotate-signing-key.ts'
import type { SigningKeyDeps } from '../signing-keys/signing-key-rows.ts'

/** Runs a command that changes the signing keys and prints the result as one line of JSON. */
export async function runSigningKeyChange(
  change: (deps: SigningKeyDeps) => Promise<KeyChange>,
  config: SigningKeyConfig,
  onStop: OnStop,
): Promise<void> {
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities })
  onStop(db.close)
  process.stdout.write(`${JSON.stringify(await change({ db, encryptionKeys: config.ENCRYPTION_KEYS }))}\n`)
}
