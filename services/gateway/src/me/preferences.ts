import {
  ApiError,
  type BodyOf,
  type Caller,
  type Id,
  type Preferences,
  type preferenceOperations,
} from '@cobro/contracts'
import { assignRow, type Database, findRow, newRow } from '@cobro/database'
import { UserEntity } from '../users/user-entity.ts'
import { PreferencesEntity } from './preferences-entity.ts'

type Change = BodyOf<typeof preferenceOperations.update>

/** The preferences of a user who has set none. */
const initial: Preferences = { version: 0, locale: null, theme: 'system', timezone: null, shortcuts: true, views: [] }

/** Returns the preferences of the user who calls. */
export async function readPreferences(db: Database, caller: Caller): Promise<Preferences> {
  const user_id = userIdOf(caller)
  const row = await db.read(em => findRow(em, PreferencesEntity, { user_id }))
  return row ? { ...initial, ...row.preferences, version: row.version } : initial
}

/**
 * Changes preferences of the user who calls. Throws a 409 if they have changed since the version that the caller has read, so that
 * one page does not undo what another has done.
 */
export function updatePreferences(db: Database, caller: Caller, change: Change): Promise<Preferences> {
  const user_id = userIdOf(caller)
  const { version, ...changed } = change
  return db.write(async tx => {
    // Lets one change wait for another, also before there is a row.
    const user = await findRow(tx, UserEntity, { id: user_id }, { lock: true })
    if (!user) throw new ApiError('unauthorized')
    // Or an erasure of a payer, which locks this row alone, could be undone.
    const row = await findRow(tx, PreferencesEntity, { user_id }, { lock: true })
    const current = row?.version ?? 0
    if (version !== current)
      throw new ApiError('conflict', `version: it is ${current} by now, so read the preferences again`)
    const next = { version: version + 1, preferences: { ...row?.preferences, ...changed }, updated_at: new Date() }
    if (row) assignRow(row, next)
    else newRow(tx, PreferencesEntity, { user_id, ...next })
    return { ...initial, ...next.preferences, version: next.version }
  })
}

function userIdOf(caller: Caller): Id<'usr'> {
  if (caller.kind === 'client' || caller.kind === 'operator') return caller.id
  throw new ApiError('unauthorized')
}
