import { ApiError, type Caller, type RequestQuery, requestOperations } from '@cobro/contracts'
import { type Database, plannedForValues, type Reader } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { type CallWaits, openCallWaits, readOrWait } from '@cobro/service'
import { raw } from '@mikro-orm/core'
import { AuditEventEntity } from '../events/audit-event-entity.ts'
import { apiRequestOf, requestsOf } from './requests-of.ts'

export interface TailDeps {
  db: Database
  waits: CallWaits
}

/** A query of what was recorded after a position. */
type TailQuery = RequestQuery & { after_seq: NonNullable<RequestQuery['after_seq']> }

/** How many records a page looks at: it may have no call of the merchant, and then says with `through` where to read on. */
const maxScanned = 10_000
/** Every record ends the waits of all, which then read on, so that heads are not read often. */
const pollMs = 1_000
const wholeLog = 'log'

/** Returns the calls recorded after a position, oldest first. Without one, waits for the next if the query says so. */
export async function tailRequests({ db, waits }: TailDeps, caller: Caller, query: TailQuery, signal: AbortSignal) {
  const { limit, wait } = query
  const read = (through: number | undefined) => db.read(em => readAfter(em, caller, query, through ?? query.after_seq))
  const waiting = { key: wholeLog, caller: waiterOf(caller), waitMs: wait * 1_000, signal }
  const { data, through } = await readOrWait(waits, read, waiting)
  return { data, through, count: null, limit, offset: 0 }
}

/** Records appear in the order of their positions, since each batch locks the head of the log. */
async function readAfter(em: Reader, caller: Caller, { filters, limit }: TailQuery, after: number | 'latest') {
  const head = await headOf(em)
  const start = after === 'latest' ? head : after
  if (start > head) throw new ApiError('invalid_request', 'after_seq: expected no position beyond the newest record')
  const end = Math.min(head, start + maxScanned)
  const where = { $and: [requestsOf(caller, filters), notOwnReads(), { seq: { $gt: start, $lte: end } }] }
  const rows = await em.find(AuditEventEntity, where, { ...plannedForValues, orderBy: { seq: 'asc' }, limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { data: rows.map(apiRequestOf), through: last?.seq ?? end, head }
}

/** Leaves out the calls that follow the log: a reader would wake itself. */
function notOwnReads(): object {
  return { [raw(alias => `${alias}.metadata ->> 'operation_id' is distinct from '${requestOperations.list.id}'`)]: [] }
}

async function headOf(em: Pick<Reader, 'execute'>): Promise<number> {
  const [row] = await em.execute<{ size: number }[]>('select size::float8 as size from audit.tree_head')
  return row?.size ?? 0
}

/** Calls of one merchant's keys and users are limited together. */
function waiterOf(caller: Caller): string {
  if (caller.kind === 'key' || caller.kind === 'client') return caller.merchant_id
  return 'id' in caller ? caller.id : caller.kind
}

/** Opens the registry of calls that wait for records. */
export function openRequestWaits({ db, logger }: { db: Database; logger: Logger }): CallWaits {
  const headsOf = async () => [[wholeLog, await db.read(headOf)] as const]
  return openCallWaits({ headsOf, pollMs, logger })
}
