import type { BodyOf, Caller, Operation, ParamsOf, QueryOf, ResponseOf } from '@cobro/contracts'
import type { Request, Response } from 'express'

/** A validated call of an operation. */
export interface Call<O extends Operation> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  caller: Caller
  request: Request
  /** What the call's Idempotency-Key stands for, where it bears one: the same for a repetition of the call. */
  idempotencyId: string | undefined
}

/** An answer whose status is not the operation's usual one. */
export interface Reply<T> {
  readonly replyStatus: number
  readonly body: T
}

/** An operation and what carries it out. */
export interface Route {
  readonly operation: Operation
  readonly handle: (call: never, response: Response) => Promise<unknown>
}

/** Joins an operation to its function. What the function gives back goes out through the operation's response schema. */
export function route<O extends Operation>(
  operation: O,
  handle: (call: Call<O>) => Promise<ResponseOf<O> | Reply<ResponseOf<O>>>,
): Route {
  return { operation, handle: handle as Route['handle'] }
}

/** Joins an operation that answers a page, a file or a stream of events to a function that writes the answer itself. */
export function page<O extends Operation>(
  operation: O,
  handle: (call: Call<O>, response: Response) => Promise<void>,
): Route {
  return { operation, handle: handle as Route['handle'] }
}

/** Answers with a status of one's own choice, such as 202 where the outcome comes later. */
export function reply<T>(replyStatus: number, body: T): Reply<T> {
  return { replyStatus, body }
}
