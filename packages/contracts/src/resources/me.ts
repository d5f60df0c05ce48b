import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { currencyCode } from '../fields/money.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { timeZone } from '../fields/time-zones.ts'
import { maybeIsoTime } from '../fields/times.ts'
import { environments } from './hosted.ts'
import { access as userAccess } from './users.ts'

const apiKey = z
  .object({
    name: z.string().meta({ description: 'The name of the key.', examples: ['shop'] }),
    scopes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'What the key is limited to; `null` for no limit.', examples: [['transactions:read']] }),
    expires_at: maybeIsoTime.describe('When the key expires; `null` for never.'),
  })
  .meta({ id: 'MyApiKey', description: 'The API key of the call.' })

const user = z
  .object({
    email: z.string().meta({ description: "The user's e-mail address.", examples: ['ana@example.com'] }),
    name: z
      .string()
      .nullable()
      .meta({ description: "The user's name.", examples: ['Ana López'] }),
    access: userAccess,
  })
  .meta({ id: 'MyUser', description: 'The user of the call.' })

const merchant = z
  .object({
    id: id('mrc'),
    name: z.string().meta({ description: 'The name that payers see.', examples: ['Café Azul'] }),
    currency: currencyCode.describe('The currency of sessions and links that name none.'),
    timezone: timeZone.describe("The IANA name of the merchant's time zone. Times of the API stay in UTC."),
  })
  .meta({ id: 'MyMerchant', description: 'The merchant that the call acts for.' })

const me = named(
  'Me',
  z
    .object({
      kind: z
        .enum(callerSets.merchants)
        .meta({ id: 'MyKind', description: 'What calls: an API key, a user of a merchant or an operator.' }),
      id: z.string().meta({ description: 'The id of the key or user.', examples: ['key_01kdvc4x2m8p6q7r9s0t1v2w3x'] }),
      api_key: apiKey.nullable().describe('The API key; `null` for users.'),
      user: user.nullable().describe('The user; `null` for keys.'),
      merchant: merchant
        .nullable()
        .describe('The merchant that the call acts for; `null` for an operator who states none.'),
      merchants: z
        .union([z.literal('all'), z.array(storedId<'mrc'>())])
        .nullable()
        .meta({ description: "An operator's scope: `all`, or the ids of merchants.", examples: ['all'] }),
      permissions: z.array(z.string()).meta({
        description: 'The ids of the operations that this caller may call, if the objects are its own.',
        examples: [['listTransactions', 'getTransaction']],
      }),
      environment: z
        .enum(environments)
        .meta({ id: 'Environment', description: 'Where the call was answered. In the sandbox no money moves.' }),
      currencies: z.array(currencyCode).describe('The currencies that this deployment accepts.'),
      hosted_url: z.url().meta({
        description:
          "The origin of the payers' pages. Send payers to the `url` of a session or link, not to one made of this.",
        examples: ['https://pay.example.com'],
      }),
      dashboard_url: z
        .url()
        .nullable()
        .meta({
          description: 'The address of the dashboard; `null` where there is none.',
          examples: ['https://pay.example.com/dashboard'],
        }),
      trace_url: z
        .string()
        .nullable()
        .meta({
          description:
            'Where an operator looks at a trace, with `{trace_id}` in place of its id; `null` for others, and where it is not configured.',
          examples: [null],
        }),
      features: z.array(z.string()).meta({
        description:
          'What this deployment has that others may lack. `mail`: it sends mails, so that users can reset their password.',
        examples: [['mail']],
      }),
      api_version: z.string().meta({ description: 'The version of the API.', examples: ['1.0.0'] }),
    })
    .describe('Who calls, for whom, and what it may do.'),
)

export type Me = z.output<typeof me>

/** What operations about the caller itself have in common. */
export const ofCallers = {
  service: 'gateway',
  tenant: false,
  tag: { name: 'Caller', description: 'Whose credential it is.' },
  audit: 'auth',
  area: 'caller',
} as const

export const meOperations = {
  read: operation({
    ...ofCallers,
    id: 'getMe',
    summary: 'Get the caller',
    description:
      'Returns who the credential of the call belongs to, which merchant the call acts for, and what it may call. ' +
      'A key needs no scope for it.',
    method: 'GET',
    path: '/api/me',
    callers: callerSets.merchants,
    scopeGroup: 'none',
    response: dataOf(me),
  }),
}
