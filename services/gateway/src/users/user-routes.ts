import { userOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { createUser, type NewUserDeps } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { issueSetupToken } from './issue-setup-token.ts'
import { getUser, listUsers } from './read-users.ts'
import { updateUser } from './update-user.ts'

export function userRoutes(deps: NewUserDeps): Route[] {
  const { db } = deps
  const { create, list, read, update, delete: remove, setupToken } = userOperations
  return [
    route(create, ({ caller, body }) => createUser(deps, caller, body)),
    route(list, ({ caller, query }) => listUsers(db, caller, query)),
    route(read, async ({ caller, params }) => ({ data: await getUser(db, caller, params.id) })),
    route(update, async ({ caller, params, body }) => ({ data: await updateUser(db, caller, params.id, body) })),
    route(remove, async ({ caller, params }) => {
      await deleteUser(db, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(setupToken, ({ caller, params }) => issueSetupToken(db, caller, params.id)),
  ]
}
