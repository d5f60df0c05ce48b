import type { Id, Preferences } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'

/** What a user has set, at a version that goes up with each change. */
export const PreferencesEntity = defineEntity({
  name: 'Preferences',
  tableName: 'user_preferences',
  properties: {
    user_id: p.string().$type<Id<'usr'>>().primary(),
    version: p.integer(),
    preferences: p.json<Partial<Omit<Preferences, 'version'>>>(),
    updated_at: p.datetime(3),
  },
})
