import type { Me } from '@cobro/sdk/admin'
import { scopesKey } from '../api/user-storage.ts'

/** A merchant that an operator has acted for. */
export type RecentScope = Pick<NonNullable<Me['merchant']>, 'id' | 'name'>

const most = 5

/** Returns the merchants that an operator has last acted for in this browser, the newest first. */
export function recentScopes(userId: string, storage: Pick<Storage, 'getItem'>): RecentScope[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(scopesKey(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isScope) : []
  } catch {
    return []
  }
}

/** Puts a merchant first among the recent ones. */
export function rememberScope(
  userId: string,
  { id, name }: RecentScope,
  storage: Pick<Storage, 'getItem' | 'setItem'>,
) {
  const others = recentScopes(userId, storage).filter(one => one.id !== id)
  storage.setItem(scopesKey(userId), JSON.stringify([{ id, name }, ...others].slice(0, most)))
}

const isScope = (value: unknown): value is RecentScope =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'name' in value &&
  typeof value.name === 'string'
