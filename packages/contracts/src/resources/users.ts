import { z } from 'zod'
import { merchantAccesses, operatorAccesses } from '../declarations/access.ts'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { named } from '../fields/pagination.ts'
import { timestamps } from '../fields/times.ts'
import { emptyBody } from './empty-body.ts'

const tag: Tag = {
  name: 'Users',
  description:
    'People who log in: operators, and clients of one merchant. For operators and for owners, who manage the users of their merchant.',
}

const emailText = { description: 'The e-mail address, to log in with.', examples: ['ana@example.com'] }
const nameText = { description: 'The name.', examples: ['Ana López'] }
const merchantText = "A client's merchant; `null` for an operator."
const scopeText = {
  description: "An operator's scope: `all`, or the ids of merchants; `null` for a client.",
  examples: [['mrc_01kdvc4x2m8p6q7r9s0t1v2w3x']],
}

const name = z.string().min(1).max(100).meta(nameText)
export const userRole = z
  .enum(['operator', 'client'])
  .describe('An operator runs the service; a client belongs to one merchant.')
/** What the accesses of each role can be, the widest first. */
const accessesOfRole = { operator: operatorAccesses, client: merchantAccesses } as const
export const access = z.enum([...new Set([...operatorAccesses, ...merchantAccesses])]).meta({
  id: 'Access',
  description:
    'What the user may do. Operators: `admin` everything; `finance` reads, money and refunds; `support` reads, and refunds up to a limit; `auditor` reads, the audit log included. Clients: `owner` everything, users of the merchant included; `developer` payments, branches, webhooks and API keys; `finance` payments, branches, refunds and money; `viewer` reads.',
  examples: ['owner'],
})

const status = z.enum(['active', 'disabled']).describe('A disabled user cannot log in.')

/** Addresses are compared case-insensitively. */
const email = z.email({ error: 'expected an e-mail address' }).max(254).toLowerCase().meta(emailText)

/** A password that a person chooses. */
export const newPassword = z
  .string()
  .min(12, { error: 'expected at least 12 characters' })
  .max(1024)
  .meta({ description: 'The password.', examples: ['a long password of your own'] })

const scope = z
  .union(
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
  .meta(scopeText)

/** Role, merchant and e-mail address are fixed when a user is created. */
const fixed = z.never({ error: 'cannot be edited' }).optional()

const user = named(
  'User',
  z
    .object({
      id: id('usr'),
      email: z.string().meta(emailText),
      name: z.string().nullable().meta(nameText),
      role: userRole,
      access,
      merchant_id: id('mrc').nullable().describe(merchantText),
      merchants: z
        .union([z.literal('all'), z.array(id('mrc'))])
        .nullable()
        .meta(scopeText),
      status,
      ...timestamps,
    })
    .describe('A person who logs in.'),
)

const create = named(
  'CreateUser',
  z
    .strictObject({
      email,
      name: name.nullable().optional(),
      role: userRole,
      access: access.optional().describe('What the user may do; by default everything: `admin` or `owner`.'),
      merchant_id: id('mrc').optional().describe('The merchant of a client. Required for a client only.'),
      merchants: scope.optional(),
      password: newPassword.optional(),
    })
    .superRefine((created, context) => {
      const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
      const [needs, excludes] =
        created.role === 'client' ? (['merchant_id', 'merchants'] as const) : (['merchants', 'merchant_id'] as const)
      if (created[needs] === undefined) reject(needs, `required for the role ${created.role}`)
      if (created[excludes] !== undefined) reject(excludes, `not for the role ${created.role}`)
      const misfit = created.access && accessMisfit(created.role, created.access)
      if (misfit) reject('access', misfit)
    })
    .meta({
      description: 'The input of a new user.',
      examples: [
        {
          email: 'ana@example.com',
          name: 'Ana López',
          role: 'client',
          merchant_id: 'mrc_01kdvc4x2m8p6q7r9s0t1v2w3x',
        },
      ],
    }),
)

export type CreateUser = z.output<typeof create>
export type UserAccess = z.output<typeof access>

/** Returns the widest access of a role. */
export function widestAccess(role: 'operator' | 'client'): UserAccess {
  return accessesOfRole[role][0]
}

/** Returns why a role cannot have an access, or undefined if it can. */
export function accessMisfit(role: 'operator' | 'client', wanted: UserAccess): string | undefined {
  const accesses: readonly string[] = accessesOfRole[role]
  return accesses.includes(wanted) ? undefined : `expected one of ${accesses.join(', ')} for the role ${role}`
}

/** People who log in: operators of all merchants or of some, and clients of one. */
export const users = resource({
  type: 'User',
  labels: { one: 'user', many: 'users' },
  prefix: 'usr',
  service: 'gateway',
  path: '/api/users',
  tenant: false,
  tag,
  audit: 'admin',
  area: 'users',
  fresh: ['create', 'update'],
  callers: { read: callerSets.users, write: callerSets.users, delete: callerSets.operators },
  emits: { create: ['user.created'], update: ['user.updated'], delete: ['user.deleted'] },
  notes: {
    list: 'An operator sees the users within its own scope, an owner those of its merchant.',
    read: 'An owner gets only those of its merchant.',
    create:
      'An operator cannot give more scope than it has, and an owner creates clients of its merchant. Without a password, a link to set one is sent by mail; in the sandbox, and without mail, the response has its setup token.',
    update:
      'Disabling a user, or changing its scope or access, ends its logins. The last admin of all merchants stays, and so does the last owner of a merchant unless an operator changes it.',
    delete: 'Deletes a user and ends its logins. The last admin of all merchants cannot be deleted.',
  },
  row: user,
  create,
  update: z.strictObject({
    name: name.nullable().optional(),
    status: status.optional(),
    merchants: scope.optional(),
    access: access.optional(),
    email: fixed,
    role: fixed,
    merchant_id: fixed,
  }),
  filters: { status, role: userRole, access, email },
  order: ['created_at', 'updated_at', 'name', 'email', 'role', 'status'],
  search: ['name', 'email'],
})

const setupToken = z.string().meta({
  description: 'Sets a password at `POST /api/auth/password`, once, within 72 hours. It is shown only here.',
  examples: ['vst_…'],
})

/** The answer to the removal of a second factor. */
export const removedFactor = named(
  'RemovedFactor',
  z.object({
    data: z
      .object({ removed: z.boolean().describe('Whether there was one.') })
      .describe('The user has no second factor.'),
  }),
)

/** The operations on users, of which two return a setup token. */
export const userOperations = {
  ...users.operations,
  create: operation({
    ...users.operations.create,
    secret: true,
    response: named('NewUserResponse', z.object({ data: user, setup_token: setupToken.optional() })),
  }),
  setupToken: operation({
    id: 'issueSetupToken',
    summary: 'Issue a setup token',
    description: 'Issues a token with which a user sets a new password. Earlier tokens of the user become invalid.',
    service: 'gateway',
    tenant: false,
    tag,
    audit: 'admin',
    area: 'users',
    callers: callerSets.users,
    method: 'POST',
    path: '/api/users/:id/setup-token',
    params: z.object({ id: id('usr') }),
    target: 'id',
    body: emptyBody,
    fresh: true,
    secret: true,
    emits: ['user.setup_token_issued'],
    response: named('SetupTokenResponse', z.object({ data: user, setup_token: setupToken })),
  }),
  removeFactor: operation({
    id: 'removeUserFactor',
    summary: "Remove a user's second factor",
    description:
      'Removes the second factor of a user who has lost it, and ends its logins. A deployment that asks for one lets the user set up another at the next login.',
    service: 'gateway',
    tenant: false,
    tag,
    audit: 'admin',
    area: 'users',
    callers: callerSets.users,
    method: 'DELETE',
    path: '/api/users/:id/factor',
    params: z.object({ id: id('usr') }),
    target: 'id',
    emits: ['auth.factor_removed'],
    response: removedFactor,
  }),
}
