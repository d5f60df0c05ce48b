import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, named, pageLimit } from '../fields/pagination.ts'
import { isoTime } from '../fields/times.ts'
import { positionOrLatest, waitSeconds } from '../fields/waiting.ts'
import { feedEventNames } from '../messages/event-catalog.ts'

const tag: Tag = {
  name: 'Event feed',
  description: 'The events of a merchant in their order, without a gap: what its webhooks receive, to read.',
}

const feedEvent = named(
  'FeedEvent',
  z
    .object({
      sequence: z.int().meta({
        description: "Its number in the merchant's feed: the event after 41 is 42.",
        format: 'int64',
        examples: [42],
      }),
      id: id('evt'),
      event: z.string().meta({ description: "The event's name.", examples: ['payment.approved'] }),
      created_at: isoTime.describe('When it happened.'),
      correlation_id: storedId<'corr'>().nullable().meta({ description: 'The payment lifecycle of the event.' }),
      payload: z.string().meta({
        description: 'The body as webhooks receive it, byte for byte.',
        examples: ['{"id":"evt_…","event":"payment.approved"}'],
      }),
    })
    .describe('An event of the feed.'),
)

const storedEvent = named(
  'StoredEvent',
  feedEvent
    .extend({
      sequence: feedEvent.shape.sequence
        .nullable()
        .describe('Its number in the feed; `null` for test events and for events from before the feed.'),
    })
    .describe('An event that webhooks can receive.'),
)

const after = positionOrLatest.describe(
  'The sequence after which to read, from `through` of the page before; `latest` for the head. By default the oldest event.',
)

/** The events that a reader wants: by name, and by the start of the name, such as `payment.`. */
export interface EventPatterns {
  names: string[]
  prefixes: string[]
}

const patternsExpected = 'expected names from the event catalog, or groups such as payment.*, with commas between them'
const everything = '*'

/** Groups stay patterns: events of a newer release belong to them too, beside whose replicas this one may run. */
const eventPatterns = z
  .string()
  .refine(text => text.split(',').every(isPattern), { error: patternsExpected })
  .transform((text): EventPatterns | undefined => {
    const patterns = text.split(',')
    if (patterns.includes(everything)) return undefined
    const [groups, names] = [patterns.filter(isGroup), patterns.filter(pattern => !isGroup(pattern))]
    return { names, prefixes: groups.map(prefixOf) }
  })
  .describe(
    'The events to return, by name or group, separated by commas: `payment.*,payment_link.paid`. All by default.',
  )

const isGroup = (pattern: string) => pattern.endsWith('.*')
const prefixOf = (group: string) => group.slice(0, -1)

function isPattern(pattern: string): boolean {
  if (pattern === everything) return true
  return feedEventNames.some(name => (isGroup(pattern) ? name.startsWith(prefixOf(pattern)) : name === pattern))
}

const feed = {
  service: 'webhooks-dispatcher',
  tenant: true,
  path: '/api/webhook-events',
  tag,
  audit: 'webhook',
  area: 'webhooks',
  callers: callerSets.merchants,
  scopeGroup: 'webhooks',
  method: 'GET',
} as const

export const webhookEventOperations = {
  list: operation({
    ...feed,
    id: 'listWebhookEvents',
    summary: 'Read the event feed',
    description:
      'Returns the events of a merchant after a sequence, oldest first. Every matching event in (`after`, `through`] is on ' +
      'the page: read on with `through` as `after`. Sequences have no gaps and become visible in order, so without ' +
      '`events` a reader sees each number once. A page without events is no end: read on with its `through`. ' +
      'Events are kept for months; before `floor` the answer is a 410.',
    feed: true,
    query: z.strictObject({
      after: after.optional(),
      limit: pageLimit.optional(),
      events: eventPatterns.optional(),
      wait: waitSeconds.optional(),
    }),
    response: named(
      'EventFeedPage',
      z
        .object({
          data: z.array(feedEvent).describe('The events, by sequence.'),
          after: z.int().meta({ description: 'The sequence after which was read.', format: 'int64', examples: [41] }),
          through: z.int().meta({
            description: 'The last sequence that was looked at: the `after` of the next call.',
            format: 'int64',
            examples: [42],
          }),
          head: z.int().meta({
            description: 'The sequence of the newest event; 0 before the first.',
            format: 'int64',
            examples: [42],
          }),
          floor: z
            .int()
            .meta({ description: 'The lowest sequence that is still kept.', format: 'int64', examples: [1] }),
        })
        .describe('A page of the event feed.'),
    ),
  }),
  read: operation({
    ...feed,
    path: '/api/webhook-events/:id',
    id: 'getWebhookEvent',
    summary: 'Get an event',
    description: 'Returns an event that webhooks can receive, with the body as they receive it.',
    params: z.object({ id: id('evt') }),
    target: 'id',
    response: dataOf(storedEvent),
  }),
}
