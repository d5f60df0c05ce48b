import { z } from 'zod'
import { rangeEnd, rangeStart } from './times.ts'

/** The size of a page if a call does not say. */
export const defaultLimit = 50
const maxLimit = 200

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, { error: 'expected a whole number' })
  .transform(Number)
const positive = wholeNumber.refine(value => value >= 1, { error: 'expected at least 1' })

/** The size of a page: at most 200, and that where more is asked for. */
export const pageLimit = positive.transform(limit => Math.min(limit, maxLimit))

/** The filters of a list: a parameter's name, equal to the column's, and the schema of its text. */
export type Filters = Readonly<Record<string, z.ZodType>>

export const directions = ['asc', 'desc'] as const
type Direction = (typeof directions)[number]

/** A place in a list that is sorted by time, then by id. */
export interface ListPosition {
  at: Date
  id: string
}

/** Returns a position as text, for the link to the next page. */
export const cursorOf = ({ at, id }: ListPosition): string => `${at.getTime()}-${id}`

/** What the error says about a cursor that no link contains. */
export const cursorExpected = 'expected the cursor of a link to the next page'

/** The cursor of a link to the next page. */
export const cursor = z
  .string()
  // Of 14 digits, so that PostgreSQL can read the time.
  .regex(/^\d{1,14}-\w{1,64}$/, { error: cursorExpected })
  .transform((text): ListPosition => {
    const [ms = '', id = ''] = text.split('-')
    return { at: new Date(Number(ms)), id }
  })

/** One page of a list request, after validation. */
export interface ListQuery {
  limit: number
  offset: number
  order: string
  dir: Direction
  search?: string | undefined
  /** Which time of the rows the list is by, if it can be by several. */
  time?: string | undefined
  /** The first and the last moment of the rows' times. */
  from?: Date | undefined
  to?: Date | undefined
  /** Where the page before ended. */
  after?: ListPosition | undefined
  /** Whether to count all matching rows. */
  counted: boolean
  /** What columns must equal; of several values, one. */
  filters: Record<string, unknown>
}

/** What the rows of a list can be narrowed by. */
interface NarrowingOptions {
  filters: Filters
  search: boolean
  /** The times that the list can be by, the default first. */
  times?: readonly [string, ...string[]]
  /** What is to be said of these times. */
  timesText?: string
}

interface ListOptions extends NarrowingOptions {
  order: readonly string[]
  /** The direction if a call does not say; by default the newest first. */
  dir?: Direction
}

/**
 * Returns the query of a list: pagination, order, search, a range of time and the resource's equality filters.
 * A filter by an enum accepts several values, separated by commas.
 * A `limit` above 200 becomes 200; an unknown parameter is rejected.
 */
export function listQuery(options: ListOptions) {
  const { order, filters, dir = 'desc' } = options
  return z
    .strictObject({
      limit: pageLimit.optional(),
      offset: wholeNumber.optional(),
      page: positive.optional(),
      cursor: cursor.optional(),
      order: z
        .enum(order as [string, ...string[]], { error: `expected one of ${order.join(', ')}` })
        .optional()
        .describe('The field to sort by; ties are broken by id.'),
      dir: z.enum(directions, { error: 'expected asc or desc' }).optional(),
      ...range,
      count: z.enum(['exact', 'none'], { error: 'expected exact or none' }).optional(),
      ...narrowing(options),
    })
    .superRefine((query, context) => {
      const { page, offset, cursor, order } = query as Record<string, unknown>
      if (page !== undefined && offset !== undefined) reject(context, 'page', 'cannot be combined with offset')
      if (cursor !== undefined && [page, offset, order].some(value => value !== undefined))
        reject(context, 'cursor', 'cannot be combined with order, offset or page')
      rejectEmptyRange(query, context)
    })
    .transform((query): ListQuery => toListQuery({ dir, ...query }, Object.keys(filters)))
}

const timeOf = (times: readonly [string, ...string[]], text: string | undefined) =>
  z
    .enum(times, { error: `expected one of ${times.join(', ')}` })
    .default(times[0])
    .describe(
      `The time that the list is by: \`from\`, \`to\` and \`cursor\` refer to it, and it is the default \`order\`. Rows without it are left out.${text ? ` ${text}` : ''}`,
    )

/**
 * Returns the query of an export of all rows that a list's filters match, the newest first, with parameters of its own.
 * An unknown parameter is rejected, and so is one that selects a page.
 */
export function exportQuery<Own extends z.ZodRawShape>(own: Own, options: NarrowingOptions) {
  const names = Object.keys(own)
  return z
    .strictObject({ ...own, ...range, ...narrowing(options) })
    .superRefine(rejectEmptyRange)
    .transform((query: Record<string, unknown>) => ({
      ...toListQuery({ ...query, dir: 'desc' }, Object.keys(options.filters)),
      ...(Object.fromEntries(names.map(name => [name, query[name]])) as z.output<z.ZodObject<Own>>),
    }))
}

const range = { from: rangeStart.optional(), to: rangeEnd.optional() }

function narrowing({ filters, search, times, timesText }: NarrowingOptions) {
  const text = z.string().max(200, { error: 'expected at most 200 characters' })
  const equal = Object.entries(filters).map(([name, schema]) => [name, oneOrMore(schema).optional()])
  return {
    ...(times ? { time: timeOf(times, timesText) } : {}),
    ...(search ? { search: text.optional() } : {}),
    ...Object.fromEntries(equal),
  }
}

function rejectEmptyRange({ from, to }: { from?: unknown; to?: unknown }, context: z.core.$RefinementCtx): void {
  if (from instanceof Date && to instanceof Date && from > to) reject(context, 'from', 'expected a time not after to')
}

/** Lets a filter by an enum accept several values. Leaves other filters as they are. */
export function oneOrMore(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodEnum)) return schema
  const values = z.transform((given: unknown, context) => {
    // Some generators of clients repeat the parameter instead.
    const texts = Array.isArray(given) ? given : [given]
    if (!texts.every(text => typeof text === 'string')) {
      context.addIssue('expected a text, with commas between several values')
      return z.NEVER
    }
    const results = texts
      .join()
      .split(',')
      .map(value => schema.safeParse(value, { reportInput: true }))
    const invalid = results.find(({ error }) => error)
    if (invalid) context.addIssue(invalid.error?.issues[0]?.message ?? 'invalid')
    return results.map(({ data }) => data)
  })
  // The array is for the API description; each of its values is checked by now.
  const described = values.pipe(z.array(schema)).transform(all => (all.length === 1 ? all[0] : all))
  return described.describe(schema.description ?? 'One or several values, separated by commas.')
}

function reject(context: z.core.$RefinementCtx, field: string, message: string): void {
  context.addIssue({ code: 'custom', path: [field], message })
}

function toListQuery(query: Record<string, unknown>, filterNames: string[]): ListQuery {
  const limit = (query.limit as number | undefined) ?? defaultLimit
  const page = query.page as number | undefined
  return {
    limit,
    offset: page === undefined ? ((query.offset as number | undefined) ?? 0) : (page - 1) * limit,
    order: (query.order ?? query.time ?? 'created_at') as string,
    dir: query.dir as Direction,
    after: query.cursor as ListPosition | undefined,
    search: query.search as string | undefined,
    time: query.time as string | undefined,
    from: query.from as Date | undefined,
    to: query.to as Date | undefined,
    counted: query.count !== 'none',
    filters: Object.fromEntries(filterNames.filter(name => query[name] !== undefined).map(name => [name, query[name]])),
  }
}

/** One page of a list, as code sees it. */
export interface Page<Row> {
  data: Row[]
  /** Null if the query asked for no count. */
  count: number | null
  limit: number
  offset: number
  /** The cursor of the next page: the response has a link to it. */
  next?: string | undefined
}

/** Registers a schema under the name that it has in the API description. */
export function named<S extends z.ZodType>(name: string, schema: S): S {
  return schema.meta({ id: name })
}

const count = named('PageCount', z.int().meta({ description: 'The number of all rows that match.', examples: [1] }))
  .nullable()
  .describe('The number of all rows that match; `null` with `count=none`.')
const limit = named('PageLimit', z.int().meta({ description: 'The size of a page.', examples: [50] }))
const offset = named('PageOffset', z.int().meta({ description: 'How many rows were skipped.', examples: [0] }))

/** The page that a list returns. `count` is the number of all matching rows, not of this page. */
export const pageFields = named('Page', z.object({ count, limit, offset }).describe('A page of a list.'))

/** The envelope of every list. */
export function listOf<T extends z.ZodType>(row: T) {
  return namedAfter(
    row,
    'List',
    z.object({ data: z.array(row).describe('The rows of this page.'), ...pageFields.shape }),
  )
}

/** The envelope of one object. */
export function dataOf<T extends z.ZodType>(row: T) {
  return namedAfter(row, 'Response', z.object({ data: row }))
}

function namedAfter<S extends z.ZodType>(row: z.ZodType, suffix: string, envelope: S): S {
  const name = row.meta()?.id
  return name === undefined ? envelope : named(`${name}${suffix}`, envelope)
}

/** The response to the deletion of an object. */
export const deletedResponse = named(
  'DeletedResponse',
  z.object({
    data: z
      .object({
        id: z.string().meta({ description: 'The id of the object.', examples: ['trm_01kdvc4x2m8p6q7r9s0t1v2w3x'] }),
        deleted: z.literal(true).describe('Always `true`.'),
      })
      .describe('What was deleted.'),
  }),
)
