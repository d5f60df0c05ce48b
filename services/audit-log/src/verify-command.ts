import { parseArgs } from 'node:util'
import { type OnStop, otherDatabaseUrl, readConfig } from '@cobro/runtime'
import { openSchema, printResult } from '@cobro/service'
import { z } from 'zod'
import { checkWitnessFile, type WitnessResult } from './integrity/check-witness-file.ts'
import { verifyLog } from './integrity/verify-log.ts'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** The settings of `verify`. Public keys suffice. */
const settings = z.object({
  DATABASE_URL: otherDatabaseUrl,
  AUDIT_SIGNING_KEY: signingKeySetting.optional(),
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
})

/**
 * Verifies the whole log and prints the result as a line of JSON. Fails on a violation.
 * Needs the checkpoints outside the database, `--checkpoint FILE`, to detect that the newest events were deleted.
 */
export async function verifyCommand(
  onStop: OnStop,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { DATABASE_URL: url, AUDIT_SIGNING_KEY: signingKey, AUDIT_PUBLIC_KEYS: publicKeys } = readConfig(settings, env)
  const { values } = parseArgs({ args, options: { checkpoint: { type: 'string' } } })
  const db = openSchema(url, { schema: 'audit', entities: [], poolSize: 1 }, onStop)

  const deps = { db, keys: signingKey ? [signingKey, ...publicKeys] : publicKeys }
  const result = await verifyLog(deps, { fromSeq: 1, toSeq: Number.MAX_SAFE_INTEGER })
  const witnessed = values.checkpoint === undefined ? undefined : await checkWitnessFile(deps, values.checkpoint)
  const violation = result.first_fault ?? witnessed?.violation ?? null
  const tail = tailText(values.checkpoint, witnessed, result.size)
  printResult({ ...result, ok: violation === null, first_fault: violation, tail })
  if (violation) throw new Error(`The log does not verify: ${violation.kind} at ${violation.seq}.`)
}

/** Describes up to which event the outside checkpoints prove that none was deleted. */
function tailText(file: string | undefined, witnessed: WitnessResult | undefined, size: number): string {
  if (!witnessed) return 'not covered: use --checkpoint FILE to detect deleted newest events'
  const { newest, unsigned } = witnessed
  const ignored = unsigned > 0 ? `; ignored ${unsigned} notes without a valid signature` : ''
  if (newest === 0) return `not covered: ${file} holds no checkpoint of this log${ignored}`
  return `covered up to ${newest} of ${size} events by the checkpoints in ${file}${ignored}`
}
