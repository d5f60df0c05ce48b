/** A call of the API as a page made it. Neither its token nor what was answered is kept. */
export interface LoggedCall {
  number: number
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  /** Undefined until it is answered, 0 if it never was. */
  status: number | undefined
  ms: number | undefined
  requestId: string | undefined
}

/** What may be shown of the headers. */
const shownHeaders = ['content-type', 'idempotency-key', 'x-merchant-id']
/** The calls whose bodies have passwords or codes. */
const secretPaths = /^\/api\/(?:auth|me|users)(?:\/|$)/

/** The newest calls that a screen has made. */
export class CallLog {
  readonly #most: number
  readonly #listeners = new Set<() => void>()
  #calls: readonly LoggedCall[] = []
  #number = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The calls, the newest first. */
  readonly calls = (): readonly LoggedCall[] => this.#calls

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Forgets the calls of a screen that is left. */
  readonly clear = (): void => this.#set([])

  /** Makes a call and notes it. A call whose screen was left is not noted when its answer comes. */
  async noted(url: string, init: RequestInit, send: () => Promise<Response>): Promise<Response> {
    const { pathname } = new URL(url)
    const headers = new Headers(init.headers)
    const shown = [...headers].filter(([name]) => shownHeaders.includes(name))
    const number = ++this.#number
    const call = {
      ...{ number, url, method: init.method ?? 'GET' },
      headers: Object.fromEntries(shown),
      body: typeof init.body === 'string' && !secretPaths.test(pathname) ? init.body : undefined,
      ...{ status: undefined, ms: undefined, requestId: undefined },
    }
    this.#set([call, ...this.#calls].slice(0, this.#most))
    const start = performance.now()
    const end = (answer?: Response) =>
      this.#end(number, {
        status: answer?.status ?? 0,
        ms: Math.round(performance.now() - start),
        requestId: answer?.headers.get('x-request-id') ?? undefined,
      })
    try {
      const answer = await send()
      end(answer)
      return answer
    } catch (error) {
      end()
      throw error
    }
  }

  #end(number: number, outcome: Pick<LoggedCall, 'status' | 'ms' | 'requestId'>): void {
    this.#set(this.#calls.map(call => (call.number === number ? { ...call, ...outcome } : call)))
  }

  #set(calls: readonly LoggedCall[]): void {
    this.#calls = calls
    for (const listener of this.#listeners) listener()
  }
}
