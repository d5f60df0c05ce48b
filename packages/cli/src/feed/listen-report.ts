import type { FollowedEvent, FollowOptions } from '@cobro/sdk'
import { printJsonLine, printLine, tell } from '../output/print.ts'
import type { Forwarded } from './forward-event.ts'

/** Says what happens while events are listened to, as lines for people or as lines of JSON. */
export interface ListenReport {
  connection: Required<Pick<FollowOptions, 'onConnected' | 'onDisconnected'>>
  event(event: FollowedEvent, forwarded: Forwarded | undefined): void
  /** A failed event could not be sent again: the feed does not keep it any more. */
  lost(id: string): void
}

/** Returns the report of events that are forwarded to a URL, or else printed only. */
export function listenReport(options: { json?: boolean; quiet?: boolean }, url: string | undefined): ListenReport {
  return options.json ? jsonReport() : textReport(url, options.quiet ?? false)
}

function jsonReport(): ListenReport {
  const line = (type: string, fields: object) => printJsonLine({ type, ...fields })
  let lost_at: Date | undefined
  let ready = false
  return {
    connection: {
      onConnected({ through, head }) {
        line(ready ? 'connected' : 'ready', ready ? { lost_at } : { through, head })
        ready = true
      },
      onDisconnected({ message }) {
        lost_at = new Date()
        line('disconnected', { lost_at, reason: message })
      },
    },
    lost(id) {
      line('lost', { id })
    },
    event({ sequence, event, payload }, forwarded) {
      line('event', { ...(forwarded ?? { event: event.event, id: event.id, sequence }), payload })
    },
  }
}

function textReport(url: string | undefined, quiet: boolean): ListenReport {
  const say = (message: string) => quiet || tell(message)
  let ready = false
  return {
    connection: {
      onConnected() {
        const where = url ? `forwarded to ${url}` : 'printed here'
        say(ready ? 'Connected again; nothing was missed.' : `Ready. Events are ${where}. Ctrl+C ends.`)
        ready = true
      },
      onDisconnected({ message }) {
        say(`Disconnected at ${new Date().toISOString()}, and trying again: ${message}.`)
      },
    },
    lost(id) {
      say(`${id} is not kept any more, and is not sent again.`)
    },
    event({ sequence, event }, forwarded) {
      const result = forwarded
        ? ` → ${forwarded.status ?? 'no answer'} (${forwarded.ms} ms)${attemptText(forwarded)}`
        : ''
      const { created_at, data } = event
      printLine(`${created_at}  ${String(sequence).padStart(6)}  ${event.event}  ${data.id}${result}`)
      if (forwarded?.answer !== undefined) tell(`  ${forwarded.answer}`)
    },
  }
}

function attemptText({ attempt, retry_at, answer }: Forwarded): string {
  if (attempt === undefined) return ''
  const number = attempt > 1 ? `, attempt ${attempt}` : ''
  if (answer === undefined) return number
  return `${number}, ${retry_at ? `again at ${retry_at}` : 'given up'}`
}
