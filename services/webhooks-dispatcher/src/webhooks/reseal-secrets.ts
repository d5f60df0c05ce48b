import { type Database, seal, unseal } from '@cobro/database'
import type { KeyRing, Logger } from '@cobro/runtime'

interface ResealDeps {
  db: Database
  keys: KeyRing
  logger: Logger
}

interface SealedRow {
  id: string
  secret: string
  previous_secret: string | null
}

const batch = 200

/**
 * Encrypts all endpoint secrets, also previous ones, with the current key. Keep old keys for a day:
 * stored responses to requests with an Idempotency-Key need them and are not resealed. Can be repeated, beside the
 * service: skips secrets sealed by the current key. Also returns the endpoints with a secret that no configured key opens.
 */
export async function resealSecrets(deps: ResealDeps) {
  const result = { resealed: 0, unreadable: [] as string[] }
  for (let after = ''; ; ) {
    const rows = await resealSome(deps, after)
    for (const { id, readable } of rows) {
      if (readable) result.resealed += 1
      else result.unreadable.push(id)
    }
    const last = rows.at(-1)
    if (!last) return result
    after = last.id
  }
}

function resealSome({ db, keys, logger }: ResealDeps, after: string): Promise<{ id: string; readable: boolean }[]> {
  return db.write(async tx => {
    const rows = await tx.execute<SealedRow[]>(selectStale, [after, keys[0]?.id, keys[0]?.id, batch])
    const done = rows.map(row => ({ id: row.id, sealed: resealed(row, keys, logger) }))
    for (const { id, sealed } of done) {
      if (sealed) await tx.execute(store, [sealed.secret, sealed.previous_secret, id])
    }
    return done.map(({ id, sealed }) => ({ id, readable: sealed !== undefined }))
  })
}

function resealed({ id, secret, previous_secret }: SealedRow, keys: KeyRing, logger: Logger) {
  const resealOne = (sealed: string) => seal(keys, unseal(keys, sealed))
  try {
    return { secret: resealOne(secret), previous_secret: previous_secret === null ? null : resealOne(previous_secret) }
  } catch (error) {
    logger.error({ err: error, webhook_id: id }, 'cannot decrypt a webhook secret')
    return undefined
  }
}

const store = 'update webhooks.endpoints set secret = ?, previous_secret = ? where id = ?'

const selectStale = `
  select id, secret, previous_secret from webhooks.endpoints
  where id > ? and (split_part(secret, '.', 1) <> ? or split_part(previous_secret, '.', 1) <> ?)
  order by id limit ? for update`
