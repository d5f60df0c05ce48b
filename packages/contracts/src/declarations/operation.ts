import type { z } from 'zod'
import { type AccessArea, accessesIn } from './access.ts'
import type { CallerKind, ServiceName } from './callers.ts'
import type { AuditCategory } from './event.ts'
import type { ScopeGroup } from './key-scopes.ts'

/** A chapter of the API reference. Operations of one chapter share the object. */
export interface Tag {
  readonly name: string
  readonly description: string
}

/** Which calls of an operation need the approval of a second operator. */
export type ApprovalRule = 'always' | 'above_limit'

/** The lines of an export in one of its formats. */
interface LinesOf {
  readonly description: string
  readonly example: string
}

/** What the lines of an export contain, for the API description. */
export interface ExportedLines {
  readonly ndjson: LinesOf
  readonly csv: LinesOf
  /** Whether the response has the number of rows as a header. */
  readonly isCounted: boolean
}

/**
 * One HTTP operation: where it is, who may call it, what goes in and what comes out.
 * Gateway routes and limits, service routes, authorization, validation, audit and the API description follow from it.
 */
export interface Operation {
  /** A stable name, for the API description, metrics and generated clients. */
  readonly id: string
  /** What it does in a few words, in the imperative: "Refund a transaction". */
  readonly summary: string
  /** What it does and changes, for the API reference; the fields below add errors and events. */
  readonly description?: string
  /** The chapter of the API reference that it belongs to. */
  readonly tag: Tag
  /** The service that carries it out. */
  readonly service: ServiceName
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Segments that start with `:` are parameters. */
  readonly path: `/${string}`
  /**
   * Who may call it, checked by the gateway and the service. `payer`: no credential is needed.
   * Whether the object is the caller's is checked where the object is loaded.
   */
  readonly callers: readonly CallerKind[]
  /** Whether it uses a merchant's data, so that an operator must state which before it writes. */
  readonly tenant: boolean
  /** Since which day (UTC) it is deprecated, and on which it will be removed. Responses have both as headers. */
  readonly deprecated?: { readonly since: string; readonly sunset?: string }
  /** Whether it is a 404 in production. */
  readonly onlyInSandbox?: true
  /** Whether it reads a merchant's feed: an operator must state which, and a position that is no longer kept is `gone`. */
  readonly feed?: true
  /** The area of work that decides which users may call it, by their access. Required where users may. */
  readonly area?: AccessArea | undefined
  /** Whether a user must have proved who it is a few minutes ago, as for every deletion. API keys are not asked. */
  readonly fresh?: true | undefined
  /**
   * Whether an operator's call waits for a second operator where `DUAL_CONTROL` is on: `always`, or where it moves more than
   * `DUAL_CONTROL_CENTS`. It is then answered with 202 and its approval.
   */
  readonly approval?: ApprovalRule | undefined
  /** The group whose scopes let an API key with scopes call it. `none`: a key needs no scope. */
  readonly scopeGroup?: ScopeGroup | 'none' | undefined
  /** `all-merchants`: an operator whose scope is a list of merchants may not call it. */
  readonly scope?: 'all-merchants'
  /**
   * Whether only pages of this deployment may call it. It has a cookie as its credential, which browsers send by themselves, so the
   * gateway refuses calls of other sites.
   */
  readonly browserOnly?: true
  /**
   * Which rate limit counts its calls; by default that of the key, the user or else the address.
   * `login`: the stricter limit of each address, where secrets could be guessed. `none`: not counted.
   */
  readonly limit?: 'login' | 'none'
  /** The audit category of its calls; failures of ours (5xx) are recorded as `error`. */
  readonly audit: AuditCategory
  /** The events that may follow, by name. */
  readonly emits?: readonly string[]
  /** A malformed path parameter is a 404: no such object can exist. */
  readonly params?: z.ZodObject
  /**
   * The path parameter with the id of the object that a call is about.
   * The audit log records it as the `target_id`. Operations with the same path have the same target. Left out if the path has no id.
   */
  readonly target?: string
  readonly query?: z.ZodType<object>
  /** Whether its query names an object that may not exist, which is a 404. The filters of a list find nothing instead. */
  readonly queryNamesObject?: true
  readonly body?: z.ZodType
  /** The largest body, in KiB; by default `defaultBodyKib`. */
  readonly bodyKib?: number
  readonly status?: 200 | 201 | 202
  /**
   * How a POST handles its Idempotency-Key; by default the effect's transaction stores a response.
   * `lease`: marks the key as running for a while, because the effect needs an outside call, at once or in the transaction of the
   * first write, before which the operation must do nothing that may not be repeated. `none`: ignores keys.
   */
  readonly idempotency?: { readonly lease: 'at_once' | 'with_first_write' } | 'none'
  /** A second success status, for an outcome that comes later. */
  readonly laterStatus?: 202
  /** Whether it charges a card, so that a decline (402) or technical failure (502) is possible. */
  readonly charges?: true
  /** Whether the body or the response contains a secret: for the Idempotency-Key, both are then stored with a key. */
  readonly secret?: true
  /**
   * The JSON response, or `events` for server-sent events, `export` for a stream of lines, `page`
   * for a page, file or empty answer for browsers, which the API description leaves out.
   */
  readonly response: z.ZodType | 'page' | 'events' | 'export'
  /** What the lines contain where the response is an `export`. */
  readonly lines?: ExportedLines
}

/** Returns an operation with its exact type. Its target must be one of its parameters. */
export function operation<const O extends Operation>(declared: O & { readonly target?: keyof ParamsOf<O> }): O {
  return declared
}

/** The largest body of most calls, in KiB. */
export const defaultBodyKib = 256

/** Returns the largest body of a call of an operation, in KiB. */
export function maxBodyKib({ bodyKib = defaultBodyKib }: Operation): number {
  return bodyKib
}

/** Returns whether an operation accepts an Idempotency-Key. */
export function acceptsIdempotencyKey(operation: Operation): boolean {
  return operation.method === 'POST' && operation.idempotency !== 'none'
}

/**
 * Returns the scope that a key with scopes needs for an operation; undefined for operations that
 * keys may not call and for those without a credential.
 */
export function keyScopeOf({ method, scopeGroup, callers }: Operation): string | undefined {
  if (!scopeGroup || scopeGroup === 'none' || !callers.includes('key')) return undefined
  return `${scopeGroup}:${method === 'GET' ? 'read' : 'write'}`
}

/**
 * Returns the accesses whose users may call an operation, by role. Empty for a role that it does not allow, and for both if it
 * has no area.
 */
export function accessesOf({ method, area, callers }: Operation): {
  operator: readonly string[]
  client: readonly string[]
} {
  const { operators, clients } = area ? accessesIn(area, method) : { operators: [], clients: [] }
  return {
    operator: callers.includes('operator') ? operators : [],
    client: callers.includes('client') ? clients : [],
  }
}

/** Returns whether users need to have proved who they are a few minutes ago. */
export function needsFreshLogin({ fresh, method }: Operation): boolean {
  return fresh === true || method === 'DELETE'
}

/** An operation that answers with JSON. */
export interface JsonOperation extends Operation {
  readonly response: z.ZodType
}

/** What a schema's output is, or `Otherwise` where there is no schema. */
type OutputOr<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise

export type ParamsOf<O extends Operation> = OutputOr<O['params'], Record<string, never>>
export type QueryOf<O extends Operation> = OutputOr<O['query'], Record<string, never>>
export type BodyOf<O extends Operation> = OutputOr<O['body'], undefined>
export type ResponseOf<O extends JsonOperation> = z.output<O['response']>
