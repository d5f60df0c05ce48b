import {
  docsOperations,
  feeRules,
  operation,
  type RowOf,
  sucursales,
  type terminales,
  terminalLinkOperations,
} from '@cobro/contracts'
import { crud } from '../src/crud.ts'
import { reply, route } from '../src/route.ts'

// Routes that must not compile. Each expectation that is no error any more fails the type check.

type Branch = RowOf<typeof sucursales>

declare const branch: Branch
declare const rule: RowOf<typeof feeRules>
declare const terminal: RowOf<typeof terminales>

const { read } = sucursales.operations
const { status: _status, ...withoutStatus } = branch

/** An answer that is complete compiles, also with fields that the response schema drops. */
export const complete = [
  route(read, async () => ({ data: branch })),
  route(read, async () => ({ data: { ...branch, key_hash: 'secret' } })),
  route(read, async () => reply(202, { data: branch })),
  route(terminalLinkOperations.unlink, async ({ params }) => ({ data: { ...terminal, id: params.id } })),
]

export const incomplete = [
  // @ts-expect-error The answer lacks a field.
  route(read, async () => ({ data: withoutStatus })),
  // @ts-expect-error The answer lacks its envelope.
  route(read, async () => branch),
  // @ts-expect-error The answer has a value that its enum does not contain.
  route(read, async () => ({ data: { ...branch, status: 'closed' as const } })),
  // @ts-expect-error A time is a date until the response schema encodes it.
  route(read, async () => ({ data: { ...branch, created_at: branch.created_at.toISOString() } })),
  // @ts-expect-error A reply with a status of its own is checked as well.
  route(read, async () => reply(202, { data: withoutStatus })),
]

export const wrong = [
  // @ts-expect-error The route returns another resource.
  route(read, async () => ({ data: rule })),
  // @ts-expect-error The operation has no such parameter.
  route(read, async ({ params }) => ({ data: { ...branch, id: params.sucursal } })),
  // @ts-expect-error The operation has no body.
  route(read, async ({ body }) => ({ data: { ...branch, name: body.name } })),
  // @ts-expect-error An operation that answers a page has no JSON answer.
  route(docsOperations.docs, async () => ({ data: branch })),
  // @ts-expect-error The target is not a parameter of the operation.
  operation({ ...terminalLinkOperations.link, target: 'sucursal' }),
]

const rows = {
  list: async () => ({ data: [branch], count: 1, limit: 50, offset: 0 }),
  get: async () => branch,
  create: async () => branch,
  update: async () => branch,
  remove: async () => {},
}
declare function rename(caller: unknown, id: string, input: { name: string }): Promise<Branch>

export const ofBranches = [
  crud(sucursales, rows),
  // @ts-expect-error The rows are those of another resource.
  crud(feeRules, rows),
  // @ts-expect-error One of the five operations returns an incomplete row.
  crud(sucursales, { ...rows, get: async () => withoutStatus }),
  // @ts-expect-error One of the five operations is missing.
  crud(sucursales, { list: rows.list, get: rows.get, create: rows.create, update: rows.update }),
  // @ts-expect-error The name that `update` requires is optional in the contract.
  crud(sucursales, { ...rows, update: rename }),
]
