import { meOperations, preferenceOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { describeCaller, type MeDeps } from './describe-caller.ts'
import { readPreferences, updatePreferences } from './preferences.ts'

export function meRoutes(deps: MeDeps): Route[] {
  const { db } = deps
  const { read, update } = preferenceOperations
  return [
    route(meOperations.read, async ({ caller }) => ({ data: await describeCaller(deps, caller) })),
    route(read, async ({ caller }) => ({ data: await readPreferences(db, caller) })),
    route(update, async ({ caller, body }) => ({ data: await updatePreferences(db, caller, body) })),
  ]
}
