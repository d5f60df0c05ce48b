import { z } from 'zod'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const name = z.string().min(1).max(100)
const role = z.enum(['operator', 'client'])
const status = z.enum(['active', 'disabled'])

/** An address is compared without regard to case. */
const email = z.email({ error: 'expected an e-mail address' }).max(254).toLowerCase()

/** A password that somebody chooses. */
export const newPassword = z.string().min(12, { error: 'expected at least 12 characters' }).max(1024)

const scope = z.union(
  [
    z.literal('all'),
    z
      .array(id('mrc'))
      .min(1)
      .max(100)
      .refine(ids => new Set(ids).size === ids.length, { error: 'expected different ids' }),
  ],
  { error: 'expected "all" or a list of 1 to 100 ids that start with mrc_' },
)

/** What a user is for is settled when it is made: another role or merchant is another user. */
const settled = z.never({ error: 'cannot be edited' }).optional()

const user = z.object({
  id: id('usr'),
  email: z.string(),
  name: z.string().nullable(),
  role,
  merchant_id: id('mrc').nullable(),
  merchants: z.union([z.literal('all'), z.array(id('mrc'))]).nullable(),
  status,
  created_at: isoTime,
  updated_at: isoTime,
})

const create = z
  .strictObject({
    email,
    name: name.nullable().optional(),
    role,
    merchant_id: id('mrc').optional(),
    merchants: scope.optional(),
    password: newPassword.optional(),
  })
  .superRefine((created, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    const [needs, refuses] =
      created.role === 'client' ? (['merchant_id', 'merchants'] as const) : (['merchants', 'merchant_id'] as const)
    if (created[needs] === undefined) fault(needs, `required for the role ${created.role}`)
    if (created[refuses] !== undefined) fault(refuses, `not for the role ${created.role}`)
  })

export type CreateUser = z.output<typeof create>

/** Who logs in: operators of all merchants or of some, and clients of one. */
export const users = resource({
  kind: 'user',
  plural: 'users',
  prefix: 'usr',
  service: 'gateway',
  path: '/api/users',
  tenant: false,
  row: user,
  create,
  update: z.strictObject({
    name: name.nullable().optional(),
    status: status.optional(),
    merchants: scope.optional(),
    email: settled,
    role: settled,
    merchant_id: settled,
  }),
  filters: { status, role, email },
  order: ['created_at', 'updated_at', 'name', 'email', 'role', 'status'],
  search: ['name', 'email'],
})

/** By the token a password is set at `/api/auth/password`, within 72 hours and once. No other answer tells it. */
const userWithToken = dataOf(user).extend({ setup_token: z.string().optional() })

/** The operations on users. The one that creates, and the one that issues tokens, tell a secret. */
export const userOperations = {
  ...users.operations,
  create: operation({
    ...users.operations.create,
    summary: 'Creates one user, with a password or with a token to set one',
    secret: true,
    response: userWithToken,
  }),
  setupToken: operation({
    id: 'issueSetupToken',
    summary: 'Issues a token by which a user sets a new password; earlier ones are void',
    service: 'gateway',
    tenant: false,
    method: 'POST',
    path: '/api/users/:id/setup-token',
    params: z.object({ id: id('usr') }),
    body: z.strictObject({}).optional(),
    secret: true,
    response: userWithToken.required(),
  }),
}
