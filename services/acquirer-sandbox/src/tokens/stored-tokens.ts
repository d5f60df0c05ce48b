import { type Database, findRow } from '@cobro/database'
import { LRUCache } from 'lru-cache'
import { TokenEntity, type TokenRow } from './token-entity.ts'

/** The newest cards of each database: most are charged right after they were stored. Cards never change. */
const newest = new WeakMap<Database, LRUCache<string, TokenRow>>()
const maxRemembered = 1_000

/**
 * Stores a card, unless its encrypted form was used before. Returns whether it was stored. `use` is
 * undefined for a card that was encrypted for no payment.
 */
export async function storeToken(
  db: Database,
  row: TokenRow,
  use: { jti: string; attempt: string } | undefined,
): Promise<boolean> {
  const columns = Object.keys(row).join(', ')
  const places = Object.values(row).map(() => '?')
  const used = `
    with used as (
      insert into acquirer_sandbox.card_uses (jti, attempt, token, used_at) values (?, ?, ?, now())
      on conflict do nothing returning 1
    )`
  const stored = await db.execute(
    use
      ? `${used} insert into acquirer_sandbox.tokens (${columns}) select ${places.join(', ')} from used returning 1`
      : `insert into acquirer_sandbox.tokens (${columns}) values (${places.join(', ')}) returning 1`,
    [...(use ? [use.jti, use.attempt, row.token] : []), ...Object.values(row)],
  )
  if (stored.length > 0) remember(db, row)
  return stored.length > 0
}

/** Returns a stored card, or null for an unknown token. */
export async function findToken(db: Database, token: string): Promise<TokenRow | null> {
  const known = newest.get(db)?.get(token)
  return known ?? db.read(em => findRow(em, TokenEntity, { token }))
}

function remember(db: Database, row: TokenRow): void {
  const known = newest.get(db) ?? new LRUCache({ max: maxRemembered })
  newest.set(db, known)
  known.set(row.token, row)
}
