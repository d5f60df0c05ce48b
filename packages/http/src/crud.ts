import type { AnyResource, Caller, ListQuery } from '@cobro/contracts'
import { type Route, route } from './route.ts'

/** What an ordinary resource needs of its table. */
export interface Rows {
  list(caller: Caller, query: ListQuery): Promise<{ data: unknown[]; count: number; limit: number; offset: number }>
  get(caller: Caller, id: string): Promise<unknown>
  create(caller: Caller, input: object): Promise<unknown>
  update(caller: Caller, id: string, input: object): Promise<unknown>
  remove(caller: Caller, id: string): Promise<void>
}

/** The five routes of a resource by name, so that one that differs can be replaced: `Object.values({ ...crud(r, rows), delete: … })`. */
export function crud(
  resource: AnyResource,
  rows: Rows,
): Record<'list' | 'read' | 'create' | 'update' | 'delete', Route> {
  const { list, read, create, update, delete: remove } = resource.operations
  const idOf = (call: { params: object }) => (call.params as { id: string }).id
  return {
    list: route(list, async call => (await rows.list(call.caller, call.query)) as never),
    read: route(read, async call => ({ data: await rows.get(call.caller, idOf(call)) }) as never),
    create: route(create, async call => ({ data: await rows.create(call.caller, call.body as object) }) as never),
    update: route(
      update,
      async call => ({ data: await rows.update(call.caller, idOf(call), call.body as object) }) as never,
    ),
    delete: route(remove, async call => {
      await rows.remove(call.caller, idOf(call))
      return { data: { id: idOf(call), deleted: true as const } }
    }),
  }
}
