import { ApiError } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { learn } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { SessionEntity, type SessionRow } from './session-entity.ts'

/** Loads a session for one who knows its id, locked until the transaction ends. Everything that changes a session locks it first. */
export async function lockSession(tx: Tx, id: string): Promise<SessionRow> {
  const session = await tx.findOne(SessionEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!session) throw new ApiError('not_found')
  learn(session)
  return session
}
