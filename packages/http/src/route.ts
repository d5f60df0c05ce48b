import type { JsonOperation, Operation, ResponseOf } from '@cobro/contracts'
import type { HttpAnswer } from '@cobro/runtime'
import type { Request, Response } from 'express'
import { z } from 'zod'
import { type Call, checkCall, type IncomingCall } from './check-call.ts'

/** A response with another status than the operation's default, or one that is stored already. */
export interface Reply<T> {
  readonly replyStatus: number
  readonly body: T
  /** See `HttpAnswer`. */
  readonly isStored: boolean
}

/** How a validated call is executed: by returning the response to send or by writing it. */
type Execution =
  | { readonly body: unknown; readonly answer: () => Promise<HttpAnswer> }
  | { readonly body: unknown; readonly write: (response: Response) => Promise<void> }

/** An operation and its implementation. */
export interface Route {
  readonly operation: Operation
  /** Validates a call. Throws `invalid_request` or `not_found` if the schemas do not match. */
  readonly accept: (incoming: IncomingCall) => Execution
}

/** Joins an operation to its function and sends the result through the response schema. */
export function route<O extends JsonOperation>(
  operation: O,
  handle: (call: Call<O>) => Promise<ResponseOf<O> | Reply<ResponseOf<O>>>,
): Route {
  return {
    operation,
    accept: incoming => {
      const call = checkCall(operation, incoming)
      return {
        body: call.body,
        answer: async () => {
          const answer = await handle(call)
          return { ...encodeAnswer(operation, answer), headers: linkToNext(incoming.request, answer) }
        },
      }
    },
  }
}

/** Joins an operation that returns a page, file or stream to a function that writes it. */
export function page<O extends Operation>(
  operation: O,
  handle: (call: Call<O>, response: Response) => Promise<void>,
): Route {
  return {
    operation,
    accept: incoming => {
      const call = checkCall(operation, incoming)
      return { body: call.body, write: response => handle(call, response) }
    },
  }
}

/** Returns a response with the given status, such as 202 where the outcome comes later. */
export function reply<T>(replyStatus: number, body: T, { isStored = false } = {}): Reply<T> {
  return { replyStatus, body, isStored }
}

/** Returns the header that links a page of a list to the next one, if there is one (RFC 8288). */
function linkToNext({ originalUrl }: Request, answer: unknown): Record<string, string> {
  const next = typeof answer === 'object' && answer !== null && 'next' in answer ? answer.next : undefined
  if (typeof next !== 'string') return {}
  const { pathname, searchParams: parameters } = new URL(originalUrl, 'http://service')
  for (const name of ['order', 'offset', 'page']) parameters.delete(name)
  parameters.set('cursor', next)
  return { Link: `<${pathname}?${parameters}>; rel="next"` }
}

/** Returns the HTTP response to a call, through the response schema. */
export function encodeAnswer<O extends JsonOperation>(
  operation: O,
  answer: ResponseOf<O> | Reply<ResponseOf<O>>,
): HttpAnswer {
  const given = isReply(answer) ? answer : reply<ResponseOf<O>>(operation.status ?? 200, answer)
  const body = JSON.stringify(z.encode<O['response']>(operation.response, given.body))
  return { status: given.replyStatus, body, ...(given.isStored ? { isStored: true } : {}) }
}

function isReply<T>(answer: T | Reply<T>): answer is Reply<T> {
  return typeof answer === 'object' && answer !== null && 'replyStatus' in answer
}
