import { userOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { issueSetupToken } from './issue-setup-token.ts'
import { getUser, listUsers } from './read-users.ts'
import { updateUser } from './update-user.ts'

export function userRoutes({ db }: { db: Database }): Route[] {
  const { create, list, read, update, delete: remove, setupToken } = userOperations
  return [
    route(create, async ({ caller, body }) => {
      const { user, ...secret } = await createUser(db, caller, body)
      return { data: user, ...secret }
    }),
    route(list, ({ caller, query }) => listUsers(db, caller, query)),
    route(read, async ({ caller, params }) => {
      return { data: await getUser(db, caller, params.id) }
    }),
    route(update, async ({ caller, params, body }) => {
      return { data: await updateUser(db, caller, params.id, body) }
    }),
    route(remove, async ({ caller, params }) => {
      await deleteUser(db, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(setupToken, async ({ caller, params }) => {
      const { user, setup_token } = await issueSetupToken(db, caller, params.id)
      return { data: user, setup_token }
    }),
  ]
}
