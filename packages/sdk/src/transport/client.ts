import { type Answer, type Call, callOf } from './call.ts'
import { listCallOf, pageOf } from './list-call.ts'
import { has, isOperation, type MethodTree, type OperationRow } from './operation-row.ts'
import type { ListOptions, WriteOptions } from './options.ts'
import { type OutgoingCall, send, type Transport } from './send.ts'
import { pathOf, queryOf } from './target.ts'

/** Returns an object with a function for each operation. The types of its methods are generated beside the operations. */
export function clientOf(methods: MethodTree, transport: Transport): object {
  return Object.fromEntries(
    Object.entries(methods).map(([name, member]) => [
      name,
      isOperation(member)
        ? (...given: unknown[]) => callOperation(transport, member, given)
        : clientOf(member, transport),
    ]),
  )
}

/** The arguments of a method: the ids in the path, the input if there is one, and options. */
function callOperation(transport: Transport, operation: OperationRow, given: unknown[]): Call<unknown> {
  const [, method, path] = operation
  const ids = path.match(/\{\w+\}/g)?.length ?? 0
  const input = has(operation, 'input') ? given[ids] : undefined
  const options = (given[ids + (has(operation, 'input') ? 1 : 0)] ?? {}) as WriteOptions & ListOptions
  const call = async (next?: URLSearchParams): Promise<Answer<unknown>> => {
    const target = pathOf(operation, given.slice(0, ids))
    const query = next ?? (method === 'GET' ? queryOf(input) : new URLSearchParams())
    const answer = await send(transport, {
      operation,
      target: query.size > 0 ? `${target}?${query}` : target,
      // A POST without an input has an empty body.
      body: method === 'GET' || method === 'DELETE' ? undefined : (input ?? {}),
      ...keyOf(operation, options),
      options,
    })
    return has(operation, 'list') ? pageOf(answer, query, call) : answer
  }
  const first = call()
  return has(operation, 'list') ? listCallOf(first, options) : callOf(first)
}

function keyOf(operation: OperationRow, { idempotencyKey }: WriteOptions): Pick<OutgoingCall, 'idempotencyKey'> {
  if (!has(operation, 'key')) return {}
  const key = idempotencyKey ?? crypto.randomUUID()
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('An idempotencyKey has 1 to 255 printable ASCII characters.')
  return { idempotencyKey: key }
}
