import { meOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { describeCaller, type MeDeps } from './describe-caller.ts'

export function meRoutes(deps: MeDeps): Route[] {
  return [route(meOperations.read, async ({ caller }) => ({ data: await describeCaller(deps, caller) }))]
}
