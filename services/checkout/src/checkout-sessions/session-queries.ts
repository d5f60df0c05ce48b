import { type Caller, checkoutSessions, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { SessionEntity } from '../payables/session-entity.ts'

/** Lists the sessions that the caller may see. */
export const listSessions = (db: Database, caller: Caller, query: ListQuery) =>
  db.read(em => listRows(em, SessionEntity, caller, query, checkoutSessions))

/** Returns a session that the caller may see. */
export const getSession = (db: Database, caller: Caller, id: string) =>
  db.read(em => getRow(em, SessionEntity, caller, id))
