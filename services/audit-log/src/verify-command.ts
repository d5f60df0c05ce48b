import { parseArgs } from 'node:util'
import { openDatabase } from '@cobro/database'
import { type OnStop, readConfig, reveal, secretText } from '@cobro/runtime'
import { z } from 'zod'
import { checkWitnessFile, type WitnessResult } from './integrity/check-witness-file.ts'
import { verifyLog } from './integrity/verify-log.ts'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** What a verification is told: whoever checks needs public keys alone. */
const settings = z.object({
  DATABASE_URL: secretText,
  AUDIT_SIGNING_KEY: signingKeySetting.optional(),
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
})

/**
 * Verifies the whole log and prints what was found as a line of JSON. Fails where something does not fit. Only with
 * `--checkpoint FILE`, the checkpoints outside the database, can it tell whether the newest events were cut off.
 */
export async function verifyCommand(
  onStop: OnStop,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { DATABASE_URL: url, AUDIT_SIGNING_KEY: own, AUDIT_PUBLIC_KEYS: others } = readConfig(settings, env)
  const { values } = parseArgs({ args, options: { checkpoint: { type: 'string' } } })
  const db = openDatabase({ url: reveal(url), schema: 'audit', entities: [], poolSize: 1 })
  onStop(db.close)

  const deps = { db, keys: own ? [own, ...others] : others }
  const found = await verifyLog(deps, { fromSeq: 1, toSeq: Number.MAX_SAFE_INTEGER })
  const outside = values.checkpoint === undefined ? undefined : await checkWitnessFile(deps, values.checkpoint)
  const fault = found.first_fault ?? outside?.fault ?? null
  const tail = tailText(values.checkpoint, outside, found.size)
  process.stdout.write(`${JSON.stringify({ ...found, ok: fault === null, first_fault: fault, tail })}\n`)
  if (fault) throw new Error(`The log does not verify: ${fault.kind} at ${fault.seq}.`)
}

/** How far it is covered that the newest events were not cut off. */
function tailText(file: string | undefined, outside: WitnessResult | undefined, size: number): string {
  if (!outside) return 'not covered: whether the newest events were cut off, only --checkpoint FILE can tell'
  const { newest, unsigned } = outside
  const ignored = unsigned > 0 ? `; ${unsigned} of its notes bear no good signature and count for nothing` : ''
  if (newest === 0) return `not covered: ${file} holds no checkpoint of this log${ignored}`
  return `covered up to ${newest} of ${size} events by the checkpoints in ${file}${ignored}`
}
