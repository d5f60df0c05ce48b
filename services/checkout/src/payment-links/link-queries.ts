import { type Caller, type ListQuery, paymentLinks } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { LinkEntity } from '../payables/link-entity.ts'

/** Lists the links that the caller may see. */
export const listLinks = (db: Database, caller: Caller, query: ListQuery) =>
  db.read(em => listRows(em, LinkEntity, caller, query, paymentLinks))

/** Returns a link that the caller may see. */
export const getLink = (db: Database, caller: Caller, id: string) => db.read(em => getRow(em, LinkEntity, caller, id))
