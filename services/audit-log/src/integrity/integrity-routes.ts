import { ApiError, auditOperations, maxVerified } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { countAuditFailure } from '../tree/audit-failures.ts'
import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import type { CheckpointWitness } from '../tree/checkpoint-witness.ts'
import { checkTail } from './check-witness-file.ts'
import { listCheckpoints } from './list-checkpoints.ts'
import { readEnd } from './read-log.ts'
import { verifyLog } from './verify-log.ts'

export interface IntegrityDeps {
  db: Database
  keys: readonly VerifyingKey[]
  witness: CheckpointWitness
}

export function integrityRoutes({ db, keys, witness }: IntegrityDeps): Route[] {
  return [
    route(auditOperations.integrity, async ({ query: { from_seq, to_seq } }) => {
      const end = await readEnd(db)
      const { size } = end
      assertNotBeyond(size, { from_seq, to_seq })
      const toSeq = to_seq ?? (from_seq === undefined ? size : from_seq + maxVerified - 1)
      const fromSeq = from_seq ?? Math.max(1, toSeq - maxVerified + 1)
      const result = await verifyLog({ db, keys }, { fromSeq, toSeq }, end)
      const tail = await checkTail(db, witness, size)
      const first_fault = result.first_fault ?? tail.violation
      if (first_fault) countAuditFailure('integrity')
      return { data: { ...result, ok: first_fault === null, first_fault, witnessed_size: tail.size } }
    }),
    route(auditOperations.checkpoints, ({ query }) => listCheckpoints(db, query)),
    route(auditOperations.checkpointKeys, async () => ({ data: keys.map(({ text }) => ({ verifier_key: text })) })),
  ]
}

/** Rejects sequence numbers beyond the end of the log. Otherwise a truncated log would verify. */
function assertNotBeyond(size: number, seqs: Record<string, number | undefined>): void {
  const beyond = Object.keys(seqs).find(name => (seqs[name] ?? 0) > size)
  if (beyond) throw new ApiError('invalid_request', `${beyond}: the log ends at ${size}`)
}
