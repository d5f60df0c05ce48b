import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { timeZone } from '../fields/time-zones.ts'
import { ofCallers } from './me.ts'

/** The most views that a user can save. */
const maxViews = 50
/** The longest name of a view, in characters. */
const maxViewName = 60
/** The longest search of a view, in characters. */
const maxViewSearch = 1000

const view = named(
  'SavedView',
  z
    .strictObject({
      list: z
        .enum([
          'payments',
          'refunds',
          'links',
          'sessions',
          'deliveries',
          'webhooks',
          'keys',
          'requests',
          'branches',
          'terminals',
        ])
        .meta({ id: 'SavedViewList', description: 'The list of the dashboard.' }),
      name: z
        .string()
        .min(1)
        .max(maxViewName)
        .meta({ description: 'The name, which is unique among the views of the list.', examples: ['Declined today'] }),
      search: z
        .string()
        .min(1)
        .max(maxViewSearch)
        .meta({
          description: 'The filters, as the query of the address of the list without its `?`.',
          examples: ['status=declined,failed'],
        }),
    })
    .describe('Filters of a list that the user has named.'),
)

const fields = {
  locale: z
    .enum(['es', 'en'])
    .nullable()
    .meta({ description: 'The language; `null` for that of the browser.', examples: ['es'] }),
  theme: z
    .enum(['system', 'light', 'dark'])
    .meta({ id: 'Theme', description: 'The colors; `system` for those of the device.', examples: ['system'] }),
  timezone: timeZone
    .nullable()
    .describe("The IANA name of the time zone in which times are shown; `null` for the merchant's."),
  shortcuts: z.boolean().meta({ description: 'Whether single keys are shortcuts.', examples: [true] }),
  views: z
    .array(view)
    .max(maxViews)
    .refine(views => new Set(views.map(({ list, name }) => `${list} ${name}`)).size === views.length, {
      error: 'expected different names in a list',
    })
    .meta({ description: 'The saved views, in the order in which they are shown.' }),
}

const version = z
  .int()
  .min(0)
  .meta({
    description: 'Goes up with each change; 0 before the first. Send the one that you have read.',
    examples: [3],
  })

const preferences = named(
  'Preferences',
  z.object({ version, ...fields }).describe('How the user wants to see the dashboard.'),
)

const update = named(
  'UpdatePreferences',
  z
    .strictObject({
      version,
      ...z.object(fields).partial().shape,
    })
    .meta({
      description: 'The fields to change. Those that are left out stay as they are.',
      examples: [{ version: 3, views: [{ list: 'payments', name: 'Declined', search: 'status=declined,failed' }] }],
    }),
)

export type Preferences = z.output<typeof preferences>

const ofCaller = {
  ...ofCallers,
  path: '/api/me/preferences',
  callers: callerSets.users,
} as const

/** The preferences of the user who calls. */
export const preferenceOperations = {
  read: operation({
    ...ofCaller,
    id: 'getPreferences',
    summary: 'Get the preferences',
    description:
      'Returns how the user wants to see the dashboard, and the saved views of lists. No one else can read them.',
    method: 'GET',
    response: dataOf(preferences),
  }),
  update: operation({
    ...ofCaller,
    id: 'updatePreferences',
    summary: 'Update the preferences',
    description:
      'Changes preferences of the user. `views` replaces all saved views. A conflict if `version` is not the newest, because another page has changed them: read them again.',
    method: 'PUT',
    bodyKib: 64,
    body: update,
    response: dataOf(preferences),
  }),
}
