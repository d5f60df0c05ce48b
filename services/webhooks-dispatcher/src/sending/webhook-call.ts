import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** What a receiver answered. The body may be cut off. */
interface Received {
  statusCode: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Requests that are aborted with this name do not count as failed in traces and metrics. */
const enoughRead = new DOMException('Enough of the response was read.', 'AbortError')

/**
 * One request to a receiver. Handles undici's events without its streams and abort signals, which
 * take more processor time (ADR 88).
 */
export class WebhookCall implements Dispatcher.DispatchHandler {
  readonly #received = Promise.withResolvers<Received>()
  readonly #timer: NodeJS.Timeout
  readonly #maxBodyBytes: number
  readonly #body: Buffer[] = []
  #bodyBytes = 0
  #head: Omit<Received, 'body'> | undefined
  #controller: Dispatcher.DispatchController | undefined
  #abortedBy: Error | undefined
  #ended = false

  /** The timeout begins now, and covers everything from the DNS query to the end of the body. */
  constructor({ timeoutMs, maxBodyBytes }: { timeoutMs: number; maxBodyBytes: number }) {
    this.#maxBodyBytes = maxBodyBytes
    this.#timer = setTimeout(() => {
      const timeout = new DOMException('The time limit has passed.', 'TimeoutError')
      this.#end(timeout)
      this.#abort(timeout)
    }, timeoutMs)
  }

  /**
   * Resolves with the response, once its body has ended, broken, become too large or taken too
   * long. Rejects if the request fails before there is a status.
   */
  get received(): Promise<Received> {
    return this.#received.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#abortedBy) controller.abort(this.#abortedBy)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode >= 200) this.#head = { statusCode, headers }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return
    this.#body.push(chunk)
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes < this.#maxBodyBytes) return
    this.#end()
    // The rest may have arrived already. Then the response ends before, and the connection can be used again.
    setImmediate(() => this.#abort(enoughRead))
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end(error)
  }

  #abort(reason: Error): void {
    this.#abortedBy = reason
    this.#controller?.abort(reason)
  }

  #end(error?: Error): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    if (this.#head) this.#received.resolve({ ...this.#head, body: Buffer.concat(this.#body) })
    else this.#received.reject(error)
  }
}
