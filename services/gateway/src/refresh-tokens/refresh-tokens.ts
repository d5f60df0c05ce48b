import { hkdfSync, randomUUID } from 'node:crypto'
import type { Id } from '@cobro/contracts'
import { type Database, newRow, seal, type Tx, unseal } from '@cobro/database'
import { type KeyRing, secret } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import { newSecretToken, tokenHash } from '../secrets/secret-tokens.ts'
import { RefreshTokenEntity, type RefreshTokenRow } from './refresh-token-entity.ts'

/** A login: the family of its refresh tokens, and when its user last proved who it is. */
export interface LoginFamily {
  family_id: string
  authenticated_at: Date
}

/** A new refresh token, which is not stored, and its login. */
export interface RefreshToken extends LoginFamily {
  token: string
  /** When the login ends in any case; null unless it is one of a browser. */
  ends_at: Date | null
}

/** How long logins of browsers last. */
export interface BrowserLimits {
  /** Without a refresh. */
  idleMs: number
  /** In any case. */
  maxMs: number
}

/** The user of an access token and the login that it belongs to. */
export interface TokenLogin {
  user_id: string
  /** The family of the login's refresh tokens. Undefined in tokens of the release before, for 15 minutes. */
  family_id: string | undefined
  /** When the user last proved who it is, in seconds since the epoch. */
  auth_time: number
}

/** The result of using a refresh token. */
type RefreshTokenUse =
  | { kind: 'good'; user_id: Id<'usr'>; successor: RefreshToken }
  | { kind: 'reused'; user_id: Id<'usr'> }
  | { kind: 'bad' }

/** How long a login outside of a browser lasts without a refresh. */
const lifetimeMs = 30 * 86_400_000
/** How long the successor of a browser's token is answered again: another tab or a lost answer may have used the token. */
const graceMs = 30_000

/** Creates the first refresh token of a login, in a browser if its limits are given. Only its hash is stored. */
export function newRefreshToken(tx: Tx, user_id: Id<'usr'>, browser?: BrowserLimits): RefreshToken {
  const authenticated_at = new Date()
  const ends_at = browser ? new Date(authenticated_at.getTime() + browser.maxMs) : null
  return addToken(tx, { user_id, family_id: randomUUID(), authenticated_at, ends_at }, browser)
}

type TokenFamily = Pick<RefreshTokenRow, 'user_id' | 'family_id' | 'authenticated_at' | 'ends_at'>

function addToken(tx: Tx, login: TokenFamily, browser: BrowserLimits | undefined): RefreshToken {
  const { user_id, family_id, authenticated_at, ends_at } = login
  const token = newSecretToken('refresh')
  const now = Date.now()
  newRow(tx, RefreshTokenEntity, {
    token_hash: tokenHash(token),
    family_id,
    user_id,
    authenticated_at,
    created_at: new Date(now),
    expires_at: new Date(
      Math.min(now + (browser?.idleMs ?? lifetimeMs), ends_at?.getTime() ?? Number.POSITIVE_INFINITY),
    ),
    ends_at,
  })
  return { token, family_id, authenticated_at, ends_at }
}

/**
 * Exchanges a refresh token for its successor. A token that is used twice was copied, so its whole
 * family is revoked and the user has to log in again; in a browser, a second use within 30 seconds gets the same successor.
 * `browser` has the limits of browsers if the token came in a cookie: other tokens are of no use there, and the reverse.
 */
export async function useRefreshToken(
  tx: Tx,
  schema: string,
  token: string,
  browser?: BrowserLimits,
): Promise<RefreshTokenUse> {
  const token_hash = tokenHash(token)
  await lockUserOf(tx, schema, token_hash)
  const found = await tx.findOne(RefreshTokenEntity, { token_hash }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!found || found.revoked_at || (found.ends_at !== null) !== (browser !== undefined)) return { kind: 'bad' }
  const { user_id } = found
  // Before its expiry: the second use of a copied token counts also when it comes late.
  if (found.used_at) {
    const successor = await unusedSuccessor(tx, found, token)
    if (successor) return { kind: 'good', user_id, successor }
    await revokeFamily(tx, found.family_id)
    return { kind: 'reused', user_id }
  }
  if (found.expires_at <= new Date()) return { kind: 'bad' }
  const successor = addToken(tx, found, browser)
  found.used_at = new Date()
  found.successor_sealed = browser ? seal(keyOf(token), successor.token) : null
  return { kind: 'good', user_id, successor }
}

/** Returns the successor of a token that was used a moment ago, unless the successor was used too. */
async function unusedSuccessor(tx: Tx, used: RefreshTokenRow, token: string): Promise<RefreshToken | undefined> {
  const { used_at, successor_sealed } = used
  if (!used_at || !successor_sealed || used_at.getTime() + graceMs < Date.now()) return undefined
  const successor = unseal(keyOf(token), successor_sealed)
  const unused = { token_hash: tokenHash(successor), used_at: null }
  const found = await tx.findOne(RefreshTokenEntity, unused, { lockMode: LockMode.PESSIMISTIC_WRITE })
  return found ? { ...found, token: successor } : undefined
}

/** The key of a token's successor. Only the token itself leads to it, and only the hash of that is stored. */
function keyOf(token: string): KeyRing {
  const bytes = Buffer.from(hkdfSync('sha256', token, '', 'successor of a refresh token', 32))
  return [{ id: 'token', bytes: secret(bytes) }]
}

/**
 * Locks the user of a token before the token: whatever ends the logins of a user does so in this
 * order too, and another order would make the two wait for each other.
 */
async function lockUserOf(tx: Tx, schema: string, token_hash: string): Promise<void> {
  const user = `select user_id from ${schema}.refresh_tokens where token_hash = ?`
  await tx.execute(`select from ${schema}.users where id = (${user}) for share`, [token_hash])
}

/** Revokes a refresh token's family. Returns its user's id, or undefined if nothing was revoked. */
export async function revokeRefreshToken(tx: Tx, token: string): Promise<Id<'usr'> | undefined> {
  const found = await tx.findOne(RefreshTokenEntity, { token_hash: tokenHash(token) })
  if (!found || found.revoked_at) return undefined
  await revokeFamily(tx, found.family_id)
  return found.user_id
}

/** Notes that the user of a login has just proved who it is. Returns undefined if the login has ended. */
export async function confirmFamily(tx: Tx, family_id: string): Promise<LoginFamily | undefined> {
  const authenticated_at = new Date()
  const alive = { family_id, revoked_at: null, expires_at: { $gt: authenticated_at } }
  const confirmed = await tx.nativeUpdate(RefreshTokenEntity, alive, { authenticated_at })
  return confirmed > 0 ? { family_id, authenticated_at } : undefined
}

/** Returns whether a login of a user has not ended. */
export async function isLoginAlive(tx: Tx, user_id: Id<'usr'>, family_id: string): Promise<boolean> {
  const alive = { user_id, family_id, revoked_at: null, expires_at: { $gt: new Date() } }
  return (await tx.count(RefreshTokenEntity, alive)) > 0
}

/** Revokes all refresh tokens of a user, but for those of one login where it is given. */
export async function endLogins(
  tx: Tx,
  user_id: Id<'usr'>,
  { except }: { except?: string | undefined } = {},
): Promise<void> {
  await revokeAll(tx, { user_id, ...(except === undefined ? {} : { family_id: { $ne: except } }) })
}

export async function pruneRefreshTokens(db: Database): Promise<void> {
  await db.write(async tx =>
    tx.execute(`delete from ${db.schema}.refresh_tokens where coalesce(ends_at, expires_at) < now()`),
  )
}

async function revokeFamily(tx: Tx, family_id: string): Promise<void> {
  await revokeAll(tx, { family_id })
}

/**
 * Revokes until no token is left. An update waits for a refresh in flight, which has locked its
 * token, but does not see the successor that it adds; the next update does.
 */
async function revokeAll(
  tx: Tx,
  tokens: { user_id: Id<'usr'>; family_id?: { $ne: string } } | { family_id: string },
): Promise<void> {
  const revoke = () => tx.nativeUpdate(RefreshTokenEntity, { ...tokens, revoked_at: null }, { revoked_at: new Date() })
  while ((await revoke()) > 0);
}
