import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-audit-log.ts'
import { appendRecords, tracedLeaf } from '../src/events/append-records.ts'
import { AuditEventEntity } from '../src/events/audit-event-entity.ts'
import { auditRecord } from '../src/events/audit-record.ts'
import { checkWitnessFile } from '../src/integrity/check-witness-file.ts'
import { CheckpointEntity } from '../src/integrity/checkpoint-entity.ts'
import { verifyLog } from '../src/integrity/verify-log.ts'
import { openWitness } from '../src/tree/checkpoint-witness.ts'
import { eventMessage, newSigningKey } from './audit-log-world.ts'
import { restoreLog, saveLog } from './log-copy.ts'

export type LogWorld = Awaited<ReturnType<typeof logWorld>>

/** Creates a log that tests append to directly, so that they know batches and sequence numbers. */
export async function logWorld({ migrated = migrations } = {}) {
  const database = await migratedDatabase({ schema: 'audit', migrations: migrated, migrate })
  const entities = [AuditEventEntity, CheckpointEntity]
  const db = openDatabase({ url: database.url('audit'), schema: 'audit', entities })
  const admin = openDatabase({ url: database.adminUrl, schema: 'audit', entities: [], poolSize: 1 })
  const folder = await mkdtemp(join(tmpdir(), 'audit-log-'))
  const file = join(folder, 'checkpoints.ndjson')
  const key = newSigningKey()
  const writer = async (checkpointFile?: string) => ({
    ...{ db, key, keys: [key] },
    witness: await openWitness(checkpointFile, [key], createLogger('audit-log', 'silent')),
  })
  const log = await writer(file)
  /** Runs SQL as the superuser in one transaction. */
  const sql = <T extends object>(...statements: string[]): Promise<T[]> =>
    admin.write(async tx => {
      let rows: T[] = []
      for (const statement of statements) rows = await tx.execute<T[]>(statement)
      return rows
    })
  return {
    database,
    folder,
    file,
    log,
    /** Returns a writer as a replica that starts. Without a checkpoint file it knows no checkpoint. */
    writer,
    /** Appends messages as one batch. */
    append: (messages: Message[], to = log) =>
      appendRecords(
        to,
        messages.map(recordOf).map(record => tracedLeaf(record, {})),
      ),
    verify: (range = { fromSeq: 1, toSeq: Number.MAX_SAFE_INTEGER }, keys = [key]) => verifyLog({ db, keys }, range),
    checkFile: (from = file) => checkWitnessFile({ db, keys: [key] }, from),
    sql,
    save: () => sql(...saveLog),
    restore: () => sql(...restoreLog),
    close: async () => {
      await db.close()
      await admin.close()
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

const recordOf = (message: Message) => auditRecord(message, 'a'.repeat(32))!

/** Creates events that fill every column. */
export const fullMessages = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) =>
    eventMessage({
      merchant_id: 'mrc_01kdvc4x2m8p6q7r9s0t1v2w3x',
      target_id: 'txn_01kdvc4x2m8p6q7r9s0t1v2w3x',
      correlation_id: 'corr_01kdvc4x2m8p6q7r9s0t1v2w3x',
      request_id: 'req_01kdvc4x2m8p6q7r9s0t1v2w3x',
      actor: { type: 'key', id: `key ${i}` },
    }),
  )
