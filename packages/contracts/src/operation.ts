import type { z } from 'zod'
import type { CallerKind, ServiceName } from './callers.ts'
import { whoMay } from './who-may.ts'

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
  /** Who may call, from the table `whoMay`. `payer` means that no credential is needed. */
  readonly callers: readonly CallerKind[]
  /** Whether a merchant's data is touched, so that an operator has to state which one before it writes. */
  readonly tenant: boolean
  /** A path parameter that does not fit is a 404: such a thing cannot exist. */
  readonly params?: z.ZodObject
  readonly query?: z.ZodType<object>
  readonly body?: z.ZodType
  readonly status?: 200 | 201 | 202
  /**
   * How a POST that is repeated under one Idempotency-Key has its effect once. Left out: the answer is stored in the effect's
   * transaction. `lease`: the effect needs an outside call, so the key is held as running for a while instead. `none`: the
   * operation takes no key.
   */
  readonly idempotency?: 'lease' | 'none'
  /** A further status of success, where the outcome may come later. */
  readonly laterStatus?: 202
  /** Whether a card is charged, so that the answer may be a decline (402) or a technical failure (502). */
  readonly charges?: true
  /** Whether the answer tells a secret, so that its stored copy is encrypted. */
  readonly secret?: true
  /** The JSON answer; `events` for a stream of server-sent events; `export` for a stream of lines; `page` for a file or page for a browser, outside the API description. */
  readonly response: z.ZodType | 'page' | 'events' | 'export'
}

/** Declares an operation. Gives back what it got, with its exact type and with those who may call it. */
export function operation<const O extends Omit<Operation, 'callers'>>(declared: O): O & Pick<Operation, 'callers'> {
  const callers = whoMay[declared.id]
  if (!callers) throw new Error(`The table of who may do what has no line for ${declared.id}.`)
  return { ...declared, callers }
}

/** An operation that answers with JSON. */
export interface JsonOperation extends Operation {
  readonly response: z.ZodType
}

/** What a schema's output is, or `Otherwise` where there is no schema. */
export type OutputOr<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise

export type ParamsOf<O extends Operation> = OutputOr<O['params'], Record<string, never>>
export type QueryOf<O extends Operation> = OutputOr<O['query'], Record<string, never>>
export type BodyOf<O extends Operation> = OutputOr<O['body'], undefined>
export type ResponseOf<O extends JsonOperation> = z.output<O['response']>
