import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'

/** How much of a body is kept for a client before the connection to the service pauses. */
const waitingBytes = 64 * 1024

export interface UpstreamHead {
  statusCode: number
  headers: IncomingHttpHeaders
}

/**
 * A request to a service, whose response is sent on to a client. Handles undici's events
 * without its streams and abort signals, which take more processor time (ADR 88).
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  readonly #head = Promise.withResolvers<UpstreamHead>()
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #controller: Dispatcher.DispatchController | undefined
  #client: ServerResponse | undefined
  #failed: ((error: Error) => void) | undefined
  #error: Error | undefined
  #ended = false

  constructor() {
    // A rejection after the head is no longer awaited would end the process.
    this.#head.promise.catch(() => undefined)
  }

  /** Resolves with the response's status and headers; rejects if the request fails before. */
  get head(): Promise<UpstreamHead> {
    return this.#head.promise
  }

  /**
   * Sends the body to the client and resolves when the client has it or is gone. Rejects if either
   * connection fails or has failed before this call. A client that reads slowly slows the service down.
   */
  sendBody(client: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#error) return reject(this.#error)
      client.once('error', reject)
      client.once('close', resolve)
      if (client.closed || client.writableEnded) return resolve()
      this.#client = client
      this.#failed = reject
      const [first = Buffer.alloc(0), ...others] = this.#waiting.splice(0)
      const waiting = others.length === 0 ? first : Buffer.concat([first, ...others])
      if (this.#ended) client.end(waiting)
      else this.#send(client, waiting)
    })
  }

  /** Aborts the request, unless it has ended. */
  abort(reason: Error): void {
    if (this.#ended || this.#error) return
    if (this.#controller) this.#controller.abort(reason)
    else this.onResponseError(undefined, reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#error) controller.abort(this.#error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode >= 200) this.#head.resolve({ statusCode, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#client) this.#send(this.#client, chunk)
    else {
      this.#waiting.push(chunk)
      this.#waitingBytes += chunk.length
      if (this.#waitingBytes > waitingBytes) controller.pause()
    }
  }

  onResponseEnd(): void {
    this.#ended = true
    if (this.#client && !this.#client.writableEnded) this.#client.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#error = error
    this.#head.reject(error)
    this.#failed?.(error)
  }

  #send(client: ServerResponse, chunk: Buffer): void {
    const controller = this.#controller
    if (client.writableEnded) return
    if (chunk.length === 0 || client.write(chunk)) controller?.resume()
    else {
      controller?.pause()
      client.once('drain', () => controller?.resume())
    }
  }
}
