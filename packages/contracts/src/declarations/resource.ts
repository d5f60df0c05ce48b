import { z } from 'zod'
import { type IdPrefix, id } from '../fields/ids.ts'
import { dataOf, deletedResponse, type Filters, listOf, listQuery, named } from '../fields/pagination.ts'
import type { AccessArea } from './access.ts'
import type { CallerKind, ServiceName } from './callers.ts'
import type { AuditCategory } from './event.ts'
import type { ScopeGroup } from './key-scopes.ts'
import { type ApprovalRule, type Operation, operation, type Tag } from './operation.ts'

type Write = 'create' | 'update' | 'delete'

interface ResourceSpec<
  P extends IdPrefix,
  Row extends z.ZodObject,
  Create extends z.ZodType,
  Update extends z.ZodType,
> {
  /** The name of its schema in the API description, such as `FeeRule`. */
  readonly type: string
  /** What people call one of them and several of them, such as "fee rule" and "fee rules". */
  readonly labels: { readonly one: string; readonly many: string }
  /** A word in the ids of `create` and `read` where another API has them for the same objects. */
  readonly idWord?: 'Merchant'
  readonly prefix: P
  readonly service: ServiceName
  readonly path: `/api/${string}`
  /** Left out where each row belongs to a merchant. */
  readonly tenant?: false
  readonly tag: Tag
  readonly audit: AuditCategory
  /** Who may list and read, who may write, and who may do one of the writes where that differs. */
  readonly callers: { readonly read: Callers; readonly write: Callers } & Readonly<Partial<Record<Write, Callers>>>
  /** The area of work that decides which users may call the operations. */
  readonly area: AccessArea
  /** The writes, besides deletions, for which users must have proved who they are a few minutes ago. */
  readonly fresh?: readonly Write[]
  /** The writes that may need the approval of a second operator. */
  readonly approvals?: Readonly<Partial<Record<Write, ApprovalRule>>>
  /** The group whose scopes API keys need. */
  readonly scopeGroup?: ScopeGroup | undefined
  /** The writes that an operator may do only if its scope is all merchants. */
  readonly allMerchants?: readonly Write[]
  /** The events that may follow each write, by name. */
  readonly emits: Readonly<Record<Write, readonly string[]>>
  /** What the API reference adds to the description of an operation: rules of this resource. */
  readonly notes?: Readonly<Partial<Record<Write | 'list' | 'read', string>>>
  readonly row: Row
  readonly create: Create
  /** Whether `create` takes a secret. */
  readonly secret?: true
  readonly update: Update
  readonly filters: Filters
  /** The fields that `order` may name. */
  readonly order: readonly string[]
  /** The fields that `search` looks through. */
  readonly search: readonly string[]
}

type Callers = readonly CallerKind[]

/**
 * Declares a resource once: its row, its inputs, who may do what, and how it is listed. Returns it
 * with the five operations of the CRUD map, from which routes, validation and documentation follow.
 */
export function resource<
  P extends IdPrefix,
  Row extends z.ZodObject,
  Create extends z.ZodType,
  Update extends z.ZodType,
>(declared: ResourceSpec<P, Row, Create, Update>) {
  const { type, row, create, update } = declared
  const spec = {
    ...declared,
    row: row.meta()?.id === type ? row : named(type, row),
    create: create.meta()?.id ? create : named(`Create${type}`, create),
    update: update.meta()?.id ? update : named(`Update${type}`, update),
  }
  return { ...spec, operations: { ...readOperations(spec), ...writeOperations(spec) } }
}

function readOperations<P extends IdPrefix, Row extends z.ZodObject>(spec: ResourceSpec<P, Row, z.ZodType, z.ZodType>) {
  const { labels, tag, audit, service, area, scopeGroup, tenant = true, notes = {} } = spec
  const base = { service, tenant, tag, audit, area, scopeGroup, callers: spec.callers.read, method: 'GET' } as const
  const query = listQuery({ order: spec.order, filters: spec.filters, search: spec.search.length > 0 })
  return {
    list: operation({
      ...base,
      id: operationId('list', labels.many),
      summary: `List ${labels.many}`,
      description: sentences(
        `Returns a page of ${labels.many}, by default the newest first.`,
        tenant ? 'An operator sees those of the merchants in its scope.' : undefined,
        notes.list,
      ),
      path: spec.path,
      query,
      response: listOf(spec.row),
    }),
    read: operation({
      ...base,
      id: operationId('get', labels.one, spec.idWord),
      summary: `Get a ${labels.one}`,
      description: sentences(`Returns one ${labels.one}.`, notes.read),
      path: `${spec.path}/:id`,
      params: z.object({ id: id(spec.prefix) }),
      target: 'id',
      response: dataOf(spec.row),
    }),
  }
}

function writeOperations<
  P extends IdPrefix,
  Row extends z.ZodObject,
  Create extends z.ZodType,
  Update extends z.ZodType,
>(spec: ResourceSpec<P, Row, Create, Update>) {
  const { labels, prefix, path, notes = {} } = spec
  const one = { path: `${path}/:id`, params: z.object({ id: id(prefix) }), target: 'id' } as const
  return {
    create: operation({
      ...writeBase(spec, 'create'),
      summary: `Create a ${labels.one}`,
      description: sentences(`Creates a ${labels.one} and returns it.`, notes.create),
      method: 'POST',
      path,
      body: spec.create,
      ...(spec.secret && { secret: spec.secret }),
      status: 201,
      response: dataOf(spec.row),
    }),
    update: operation({
      ...writeBase(spec, 'update'),
      ...one,
      summary: `Update a ${labels.one}`,
      description: sentences(
        `Changes the fields that are sent and returns the ${labels.one}. \`null\` clears a field.`,
        notes.update,
      ),
      method: 'PUT',
      body: spec.update,
      response: dataOf(spec.row),
    }),
    delete: operation({
      ...writeBase(spec, 'delete'),
      ...one,
      summary: `Delete a ${labels.one}`,
      description: sentences(notes.delete ?? `Deletes a ${labels.one}.`),
      method: 'DELETE',
      response: deletedResponse,
    }),
  }
}

function writeBase(spec: ResourceSpec<IdPrefix, z.ZodObject, z.ZodType, z.ZodType>, write: Write) {
  const {
    labels,
    idWord,
    tag,
    audit,
    service,
    area,
    scopeGroup,
    tenant = true,
    callers,
    emits,
    allMerchants = [],
    fresh = [],
    approvals = {},
  } = spec
  const approval = approvals[write]
  return {
    id: operationId(write, labels.one, write === 'create' ? idWord : undefined),
    ...{ service, tenant, tag, audit, area, scopeGroup },
    callers: callers[write] ?? callers.write,
    emits: approval ? [...emits[write], 'approval.requested'] : emits[write],
    ...(approval ? { approval } : {}),
    ...(allMerchants.includes(write) ? { scope: 'all-merchants' as const } : {}),
    ...(fresh.includes(write) ? { fresh: true as const } : {}),
  }
}

/** Joins a verb and a label into an operation id: `listFeeRules`. */
function operationId(verb: string, label: string, idWord = ''): string {
  return verb + idWord + label.replace(/(?:^| )(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter(part => part !== undefined).join(' ')
}

/** A row of a resource, as code sees it: times are dates. */
export type RowOf<R extends { readonly row: z.ZodType }> = z.output<R['row']>

/** Any declared resource, for code that serves them all alike. */
export interface AnyResource extends ResourceSpec<IdPrefix, z.ZodObject, z.ZodType, z.ZodType> {
  readonly operations: Readonly<Record<'list' | 'read' | 'create' | 'update' | 'delete', Operation>>
}
