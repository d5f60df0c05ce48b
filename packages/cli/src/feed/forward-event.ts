import type { StoredEvent } from '@cobro/sdk'
import { signWebhook } from '@cobro/sdk/testing'
import { CommandError } from '../output/failures.ts'

/** What a receiver answered. */
export interface Forwarded {
  event: string
  id: string
  sequence: number | null
  /** The status; `null` without an answer. */
  status: number | null
  ms: number
  /** The start of the answer of a receiver that failed, or why there is none. */
  answer?: string
  /** The header of a receiver that asks for a pause. */
  retry_after?: string
  /** With retries: which attempt it was, and when the next one is; `null` if there is none. */
  attempt?: number
  retry_at?: string | null
}

const timeoutMs = 10_000
const shownLength = 200
const maxBodyBytes = 4_096

/** Sends an event to a URL of this machine, with the headers of a real delivery, signed afresh. */
export async function forwardEvent(
  event: Forwardable,
  url: string,
  { secret, signal }: { secret: string; signal?: AbortSignal },
): Promise<Forwarded> {
  const startMs = performance.now()
  const about = { event: event.event, id: event.id, sequence: event.sequence }
  const ms = () => Math.round(performance.now() - startMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headersOf(event), ...(await signWebhook(event.payload, secret)).headers },
      body: event.payload,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    })
    const answered = { ...about, status: response.status, ms: ms() }
    const answer = (await startOfBody(response)).slice(0, shownLength)
    if (response.ok) return answered
    const retry_after = response.headers.get('retry-after')
    return { ...answered, answer, ...(retry_after !== null && { retry_after }) }
  } catch (error) {
    return { ...about, status: null, ms: ms(), answer: reasonOf(error) }
  }
}

/** Reads the start of a body. As the status is known, a broken body does not fail the attempt. */
async function startOfBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= maxBodyBytes) break
    }
  } catch {
    // Keeps what was read before the error.
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

type Forwardable = Pick<StoredEvent, 'id' | 'event' | 'sequence' | 'payload'>

/** Returns a URL that events can be forwarded to. */
export function forwardingUrl(text: string): string {
  const url = /^\d+$/.test(text) ? `http://localhost:${text}` : text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandError(`${text} is no http URL to forward to.`)
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw new CommandError('Others on this machine could see the password in the URL.', {
      hint: 'Forward to a receiver that checks the signature only.',
    })
  }
  return url
}

function headersOf({ id, event, sequence }: Forwardable): Record<string, string> {
  return {
    'user-agent': 'Cobro-Webhooks/1.0',
    'x-service-event': event,
    // The same for each time that an event is sent, as for the retries of a delivery.
    'x-service-delivery': id.replace(/^evt_/, 'whd_'),
    ...(sequence === null ? {} : { 'x-service-sequence': String(sequence) }),
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection'
}
