import type { Caller, JsonOperation, ListQuery, Page } from '@cobro/contracts'
import type { z } from 'zod'
import { type Route, route } from './route.ts'

/** The functions on a resource's table that `crud` needs, with the contract's rows and inputs. */
export interface Rows<Id, Row, Create, Update> {
  list: (caller: Caller, query: ListQuery) => Promise<Page<Row>>
  get: (caller: Caller, id: Id) => Promise<Row>
  create: (caller: Caller, input: Create) => Promise<Row>
  update: (caller: Caller, id: Id, input: Update) => Promise<Row>
  remove: (caller: Caller, id: Id) => Promise<void>
}

interface OfOne<Id> extends JsonOperation {
  readonly params: z.ZodObject<{ id: z.ZodType<Id> }>
}

/** The five operations of a resource, with the types that its routes are checked against. */
interface CrudResource<Id, Row, Create, Update> {
  readonly operations: {
    readonly list: JsonOperation & { readonly query: z.ZodType<ListQuery>; readonly response: z.ZodType<Page<Row>> }
    readonly read: OfOne<Id> & { readonly response: z.ZodType<{ data: Row }> }
    readonly create: JsonOperation & { readonly body: z.ZodType<Create>; readonly response: z.ZodType<{ data: Row }> }
    readonly update: OfOne<Id> & { readonly body: z.ZodType<Update>; readonly response: z.ZodType<{ data: Row }> }
    readonly delete: OfOne<Id> & { readonly response: z.ZodType<{ data: { id: string; deleted: true } }> }
  }
}

/** Returns a resource's five routes by name; `{ ...crud(r, rows), delete: … }` replaces one. */
export function crud<Id extends string, Row, Create, Update>(
  resource: CrudResource<Id, Row, Create, Update>,
  rows: NoInfer<Rows<Id, Row, Create, Update>>,
): Record<'list' | 'read' | 'create' | 'update' | 'delete', Route> {
  const { list, read, create, update, delete: remove } = resource.operations
  return {
    list: route(list, call => rows.list(call.caller, call.query)),
    read: route(read, async call => ({ data: await rows.get(call.caller, call.params.id) })),
    create: route(create, async call => ({ data: await rows.create(call.caller, call.body) })),
    update: route(update, async call => ({ data: await rows.update(call.caller, call.params.id, call.body) })),
    delete: route(remove, async ({ caller, params: { id } }) => {
      await rows.remove(caller, id)
      return { data: { id, deleted: true as const } }
    }),
  }
}
