import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { type ErrorCode, errorBody, errorStatus } from '@cobro/contracts'
import { freePort } from '@cobro/local-stack'
import { noncePlaceholder, readBuiltDashboard } from '../src/built/built-dashboard.ts'
import { dashboardHeaders } from '../src/built/dashboard-policy.ts'
import { answerOf, jsonOperations, operationOf } from './service-answers.ts'

/** How an operation answers: with a body, page by page, with an error, not before another answer, or by losing the connection. */
type Answer =
  | { body: unknown }
  | { pages: readonly unknown[] }
  | { error: ErrorCode; detail?: string; retryAfter?: number; mfa_token?: string; mfa_setup?: true }
  | 'held'
  | 'lost'

export interface ScriptedService {
  readonly origin: string
  /** The operations that were called, in order. */
  readonly calls: string[]
  /** How calls and answers differ from the contracts. */
  readonly faults: string[]
  /** Answers an operation like this from now on; also the calls that are held. */
  answer(operationId: string, answer: Answer): void
  /** Answers an operation as usual again. */
  usual(operationId: string): void
  /** Answers each call for a file of the dashboard, or the first for each, with an error of HTTP; undefined: as usual. */
  answerAssets(status: 404 | 503 | undefined, how?: { isOnce?: boolean }): void
  /** How often a file of the dashboard was asked for since then, by its name without its hash. */
  readonly assetCalls: Map<string, number>
  /** Forgets calls and answers of a test. */
  reset(): void
  stop(): Promise<void>
}

export const requestId = 'req_01kdvc4x2m8p6q7r9s0t1v2w3x'

/** Serves the built dashboard as the gateway does, and the API as a test scripts it. */
export async function startScriptedService(): Promise<ScriptedService> {
  const dashboard = readBuiltDashboard()
  const answers = new Map<string, Answer>()
  const held = new Map<string, (() => void)[]>()
  const calls: string[] = []
  const faults: string[] = []
  const assetCalls = new Map<string, number>()
  let lost: { status: number; isOnce: boolean } | undefined
  const answerCall = async (id: string, url: URL, response: ServerResponse): Promise<void> => {
    const answer = answers.get(id) ?? { body: answerOf(id) }
    if (answer === 'held') {
      await new Promise<void>(resolve => held.set(id, [...(held.get(id) ?? []), resolve]))
      return answerCall(id, url, response)
    }
    if (answer === 'lost') return void response.destroy()
    if ('error' in answer) return sendError(response, answer)
    const { body, headers } = 'pages' in answer ? pageOf(answer.pages, url) : { ...answer, headers: {} }
    const { error } = operationOf(id).response.safeParse(body)
    if (error) faults.push(`the answer of ${id}: ${error.message}`)
    send(response, operationOf(id).status ?? 200, body, headers)
  }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const { pathname, searchParams } = url
    if (pathname.startsWith('/dashboard/assets/')) {
      const name = pathname.replace(/^.*\/(.*)-.{8}\.\w+$/, '$1')
      assetCalls.set(name, (assetCalls.get(name) ?? 0) + 1)
      if (lost && !(lost.isOnce && assetCalls.get(name) !== 1)) return void response.writeHead(lost.status).end()
      return sendAsset(response, dashboard.assets, pathname)
    }
    if (pathname.startsWith('/dashboard')) return sendPage(response, dashboard.page)
    const called = jsonOperations.find(({ method, path }) => method === request.method && matches(path, pathname))
    if (!called) {
      faults.push(`${request.method} ${pathname} is no operation`)
      return sendError(response, { error: 'not_found' })
    }
    const { error } = called.query?.safeParse(Object.fromEntries(searchParams)) ?? {}
    if (error) faults.push(`the query of ${called.id}: ${error.message}`)
    calls.push(called.id)
    // The feed has nothing more to say.
    if (!searchParams.has('wait')) await answerCall(called.id, url, response)
  }
  const server = createServer((request, response) => void receive(request, response))
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const release = (id: string) => {
    for (const go of held.get(id) ?? []) go()
    held.delete(id)
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    faults,
    assetCalls,
    answerAssets: (status, { isOnce = false } = {}) => {
      lost = status && { status, isOnce }
      assetCalls.clear()
    },
    answer: (id, answer) => {
      answers.set(operationOf(id).id, answer)
      release(id)
    },
    usual: id => {
      answers.delete(id)
      release(id)
    },
    reset: () => {
      answers.clear()
      for (const id of held.keys()) release(id)
      calls.length = 0
      faults.length = 0
      lost = undefined
      assetCalls.clear()
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Returns the page that the cursor of a call names, with the link to the next one. */
function pageOf(pages: readonly unknown[], { pathname, searchParams }: URL) {
  const page = Number.parseInt(searchParams.get('cursor') ?? '0', 10)
  const next = new URLSearchParams(searchParams)
  next.set('cursor', `${page + 1}-page`)
  return { body: pages[page], headers: page + 1 < pages.length ? { Link: `<${pathname}?${next}>; rel="next"` } : {} }
}

const matches = (path: string, pathname: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname)

function sendPage(response: ServerResponse, page: string): void {
  const nonce = 'bm9uY2U='
  response
    .writeHead(200, { ...dashboardHeaders(nonce), 'Content-Type': 'text/html; charset=utf-8' })
    .end(page.replaceAll(noncePlaceholder, nonce))
}

function sendAsset(
  response: ServerResponse,
  assets: ReadonlyMap<string, { type: string; content: Buffer }>,
  pathname: string,
): void {
  const asset = assets.get(pathname.slice('/dashboard/assets/'.length))
  response
    .writeHead(asset ? 200 : 404, {
      'Content-Type': asset?.type ?? extname(pathname),
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(asset?.content)
}

function sendError(response: ServerResponse, problem: Extract<Answer, { error: ErrorCode }>): void {
  const { error, detail, retryAfter, ...fields } = problem
  const headers = { ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) }
  const body = errorBody.parse({ error: detail === undefined ? error : `${error}: ${detail}`, ...fields })
  send(response, errorStatus[error], body, headers)
}

function send(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...headers,
    })
    .end(JSON.stringify(body))
}
