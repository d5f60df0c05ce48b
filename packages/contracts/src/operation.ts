import type { z } from 'zod'
import type { CallerKind, ServiceName } from './callers.ts'

/**
 * One thing that can be asked over HTTP: where it lives, who may ask, what goes in and what comes out.
 * The gateway's route table, the services' routes, validation and the API description all follow from it.
 */
export interface Operation {
  /** A stable name for documentation, metrics and the SDK. */
  readonly id: string
  readonly summary: string
  /** The service that answers. */
  readonly service: ServiceName
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Segments that start with `:` are parameters. */
  readonly path: `/${string}`
  /** Who may call. `payer` means that no credential is needed. */
  readonly callers: readonly CallerKind[]
  /** Whether a merchant's data is touched, so that an operator has to state which one before it writes. */
  readonly tenant: boolean
  /** A path parameter that does not fit is a 404: such a thing cannot exist. */
  readonly params?: z.ZodObject
  readonly query?: z.ZodType<object>
  readonly body?: z.ZodType
  readonly status?: 200 | 201 | 202
  /** The JSON answer; `page` where the answer is a file or page for a browser, outside the API description. */
  readonly response: z.ZodType | 'page'
}

/** Declares an operation. Gives back what it got, with its exact type. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}

type Output<T, Otherwise> = T extends z.ZodType ? z.output<T> : Otherwise

export type ParamsOf<O extends Operation> = Output<O['params'], Record<string, never>>
export type QueryOf<O extends Operation> = Output<O['query'], Record<string, never>>
export type BodyOf<O extends Operation> = Output<O['body'], undefined>
export type ResponseOf<O extends Operation> = Output<O['response'], never>
