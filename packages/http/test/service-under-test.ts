import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type Caller, operation } from '@cobro/contracts'
import { currentCall, type Idempotency, type KeyedCall, type Logger } from '@cobro/runtime'
import { z } from 'zod'
import { verifyIdentity } from '../src/identity.ts'
import { listen } from '../src/listen.ts'
import { mountRoutes } from '../src/mount-routes.ts'
import { page, route } from '../src/route.ts'
import { serviceApp } from '../src/service-app.ts'
import { keyCaller, testIdentity } from '../src/test-identity.ts'

const thing = z.object({ id: z.string(), name: z.string(), made_at: z.date() })
const params = z.object({ id: z.string().regex(/^thing_\d+$/) })
const base = {
  service: 'checkout',
  callers: ['key', 'operator'],
  tenant: true,
  tag: { name: 'Things', description: 'Things.' },
  audit: 'api',
  path: '/api/things',
} as const

export const thingOperations = {
  list: operation({
    ...base,
    id: 'listThings',
    summary: 'Lists things',
    method: 'GET',
    query: z.strictObject({ name: z.string().max(20).optional() }),
    response: z.object({ data: z.array(thing) }),
  }),
  create: operation({
    ...base,
    id: 'createThing',
    summary: 'Creates a thing',
    method: 'POST',
    body: z.strictObject({ name: z.string() }),
    status: 201,
    response: z.object({ data: thing }),
  }),
  read: operation({
    ...base,
    id: 'getThing',
    summary: 'Reads a thing',
    method: 'GET',
    path: '/api/things/:id',
    params,
    response: z.object({ data: thing }),
  }),
  catalog: operation({
    ...base,
    id: 'listKinds',
    summary: 'Lists kinds of things',
    method: 'GET',
    path: '/api/things/kinds',
    deprecated: { since: '2027-01-01', sunset: '2027-07-01' },
    response: z.object({ data: z.array(z.string()) }),
  }),
  act: operation({
    ...base,
    id: 'actOnThing',
    summary: 'Does something with a thing',
    method: 'POST',
    path: '/api/things/:id/act',
    params,
    response: z.object({ done: z.boolean() }),
  }),
  hold: operation({
    ...base,
    id: 'holdThing',
    summary: 'Does something outside with a thing',
    method: 'POST',
    path: '/api/things/:id/hold',
    callers: ['payer'],
    tenant: false,
    params,
    idempotency: { lease: 'at_once' },
    secret: true,
    response: z.object({ done: z.boolean() }),
  }),
  enter: operation({
    ...base,
    id: 'enterThings',
    summary: 'Takes no key',
    method: 'POST',
    path: '/api/things/enter',
    idempotency: 'none',
    response: z.object({ done: z.boolean() }),
  }),
  show: operation({
    ...base,
    id: 'showThing',
    summary: 'The page of a thing',
    method: 'GET',
    path: '/things/:id',
    callers: ['payer'],
    tenant: false,
    params,
    response: 'page',
  }),
}

/** What the one action does. */
type Act = (request: IncomingMessage) => Promise<unknown>

/** What the service logged, with the request id it was logged under. */
interface LoggedLine {
  level: string
  error?: Error
  /** What is said instead of an error. */
  cause?: string
  message: string
  request_id: string | null
}

/** What the service logged of a call, with the ids it was logged under. */
interface CallLine {
  method: string
  route?: string
  status_code: number
  duration_ms: number
  outcome?: string
  request_id: string | null
  correlation_id: string | null
}

interface ParsedResponse {
  status: number
  headers: Headers
  text: string
  /** Its JSON, looked into field by field. */
  body: any
}

/**
 * Starts a service of a few routes as the services themselves do. `act` is what its one action
 * does; `ready` may fail; an error whose message is "away" counts as one that means so.
 */
export async function serviceUnderTest(ready: () => Promise<void> = async () => {}) {
  const identity = await testIdentity('checkout')
  const logged: LoggedLine[] = []
  const log =
    (level: string) =>
    ({ err, ...about }: { err?: Error; cause?: string }, message: string) =>
      void logged.push({ level, message, request_id: currentCall().request_id, ...(err ? { error: err } : about) })
  const lines: CallLine[] = []
  const logEvents = new EventEmitter()
  const info = (line: object) => {
    const { request_id, correlation_id } = currentCall()
    lines.push({ ...line, request_id, correlation_id } as CallLine)
    logEvents.emit('line')
  }
  const logger = { info, error: log('error'), warn: log('warn') } as unknown as Logger
  const made = { id: 'thing_1', name: 'Box', made_at: new Date(0), secret_hash: 'c0ffee', owner: { token: 'c0ffee' } }
  const service: { act: Act } = { act: async () => ({ done: true }) }
  const act = async ({ request }: { request: IncomingMessage }) => (await service.act(request)) as { done: boolean }
  const keyed: KeyedCall[] = []
  // Stores no answers: the database package tests what is stored.
  const idempotency: Idempotency = {
    once: async (call, carryOut) => {
      keyed.push(call)
      return { ...(await carryOut()), replayed: keyed.filter(({ id }) => id === call.id).length > 1 }
    },
  }
  const routes = [
    route(thingOperations.read, async ({ params }) => ({ data: { ...made, id: params.id }, secret_hash: 'c0ffee' })),
    route(thingOperations.list, async () => ({ data: [made, made] })),
    route(thingOperations.create, async ({ body }) => ({ data: { ...made, ...body } })),
    route(thingOperations.catalog, async () => ({ data: ['box'] })),
    route(thingOperations.act, act),
    route(thingOperations.hold, act),
    route(thingOperations.enter, act),
    page(thingOperations.show, async ({ params, request }, response) => {
      response.type('html').write(`<p>${params.id}`)
      await act({ request })
      response.end('</p>')
    }),
  ]
  const authenticate = verifyIdentity(identity.jwks, 'checkout')
  const isUnavailable = (error: unknown) => (error as Error).message === 'away'
  const app = serviceApp({ ready, isUnavailable, logger }, app =>
    mountRoutes(app, routes, { authenticate, idempotency }),
  )
  const listening = await listen(app, '127.0.0.1', 0)
  const url = `http://127.0.0.1:${listening.port}`
  /** Calls as a merchant's key, unless another caller is given or, with null, none. */
  const call = async (
    method: string,
    path: string,
    options: { body?: string | Uint8Array | ReadableStream; headers?: Record<string, string>; as?: Caller | null } = {},
  ): Promise<ParsedResponse> => {
    const { body, as = keyCaller() } = options
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as === null ? {} : await identity.headers(as)),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    } as RequestInit)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text ? parsed(text) : undefined }
  }
  return {
    url,
    port: listening.port,
    identity,
    logged,
    /** Waits for this many log lines of calls, written a moment after the client's answer. */
    linesOf: async (calls: number) => {
      while (lines.length < calls) await once(logEvents, 'line')
      return lines
    },
    /** Every call with an idempotency key, as parsed. */
    keyed,
    call,
    /** Has the action do something else. */
    onAct: (act: Act) => {
      service.act = act
    },
    act: (headers: Record<string, string> = {}, as?: Caller) =>
      call('POST', '/api/things/thing_1/act', { headers, ...(as ? { as } : {}) }),
    ...{ drain: listening.drain, close: listening.close },
  }
}

export type ServiceUnderTest = Awaited<ReturnType<typeof serviceUnderTest>>

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
