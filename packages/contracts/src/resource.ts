import { z } from 'zod'
import type { ServiceName } from './callers.ts'
import { type IdPrefix, id } from './ids.ts'
import { type Operation, operation } from './operation.ts'
import { dataOf, deletedAnswer, type Filters, listOf, listQuery } from './pagination.ts'

interface ResourceSpec<Row extends z.ZodObject, Create extends z.ZodType, Update extends z.ZodType> {
  /** Singular, for words in errors, and plural, for operation ids. */
  readonly kind: string
  readonly plural: string
  readonly prefix: IdPrefix
  readonly service: ServiceName
  readonly path: `/api/${string}`
  /** Left out where each row belongs to a merchant. */
  readonly tenant?: false
  readonly row: Row
  readonly create: Create
  readonly update: Update
  readonly filters: Filters
  /** The fields that `order` may name. */
  readonly order: readonly string[]
  /** The fields that `search` looks through. */
  readonly search: readonly string[]
}

/**
 * Declares a resource once: its row, its inputs and how it is listed.
 * Gives it back with the five operations of the CRUD map, so that routes, validation and documentation follow from it.
 */
export function resource<Row extends z.ZodObject, Create extends z.ZodType, Update extends z.ZodType>(
  spec: ResourceSpec<Row, Create, Update>,
) {
  return { ...spec, operations: { ...readOperations(spec), ...writeOperations(spec) } }
}

function readOperations<Row extends z.ZodObject>(spec: ResourceSpec<Row, z.ZodType, z.ZodType>) {
  const { service, kind, plural, tenant = true } = spec
  const base = { service, tenant, method: 'GET' } as const
  const query = listQuery({ order: spec.order, filters: spec.filters, search: spec.search.length > 0 })
  return {
    list: operation({
      ...base,
      id: `list${capital(plural)}`,
      summary: `Lists ${plural}`,
      path: spec.path,
      query,
      response: listOf(spec.row),
    }),
    read: operation({
      ...base,
      id: `get${capital(kind)}`,
      summary: `Reads one ${kind}`,
      path: `${spec.path}/:id`,
      params: z.object({ id: id(spec.prefix) }),
      response: dataOf(spec.row),
    }),
  }
}

function writeOperations<Row extends z.ZodObject, Create extends z.ZodType, Update extends z.ZodType>(
  spec: ResourceSpec<Row, Create, Update>,
) {
  const { service, kind, tenant = true } = spec
  const base = { service, tenant } as const
  const one = { ...base, path: `${spec.path}/:id`, params: z.object({ id: id(spec.prefix) }) } as const
  return {
    create: operation({
      ...base,
      id: `create${capital(kind)}`,
      summary: `Creates one ${kind}`,
      method: 'POST',
      path: spec.path,
      body: spec.create,
      status: 201,
      response: dataOf(spec.row),
    }),
    update: operation({
      ...one,
      id: `update${capital(kind)}`,
      summary: `Changes one ${kind}; an absent field keeps its value, null clears it`,
      method: 'PUT',
      body: spec.update,
      response: dataOf(spec.row),
    }),
    delete: operation({
      ...one,
      id: `delete${capital(kind)}`,
      summary: `Deletes one ${kind}`,
      method: 'DELETE',
      response: deletedAnswer,
    }),
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** A row of a resource, as code sees it: times are dates. */
export type RowOf<R extends { readonly row: z.ZodType }> = z.output<R['row']>

/** Any declared resource, for code that serves them all alike. */
export interface AnyResource extends ResourceSpec<z.ZodObject, z.ZodType, z.ZodType> {
  readonly operations: Readonly<Record<'list' | 'read' | 'create' | 'update' | 'delete', Operation>>
}
