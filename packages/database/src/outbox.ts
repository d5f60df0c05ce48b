import {
  type CommandData,
  type CommandName,
  commands,
  type EventData,
  type EventName,
  events,
  type Id,
  type Message,
  newId,
  type ReplyData,
  type ReplyName,
  replies,
} from '@cobro/contracts'
import { captureTrace, currentCall, type TraceCarrier } from '@cobro/runtime'
import { z } from 'zod'
import type { OpenTransaction } from './open-transaction.ts'

/** The object that a message is about, if the message's data has no fields of these names. */
interface About {
  merchant_id?: string | null
  correlation_id?: string | null
  target_id?: string | null
}

/** A message's trace; by default the one that is active when the transaction ends. */
interface Traced {
  trace?: TraceCarrier
}

/** The decoded data of an event. For a union of names, the data must fit every event of it. */
export type EmittedData<N extends EventName> = EventData<N> & FitsEach<N>
type FitsEach<N extends EventName> = (N extends N ? (data: EventData<N>) => void : never) extends (
  data: infer D,
) => void
  ? D
  : never

type EventMessage = Message & { id: Id<'evt'> }

/** Publishes an event when the transaction commits. Drops fields that it does not declare. */
export type Emit = <N extends EventName>(name: N, subject: EmittedData<N>, about?: About & Traced) => EventMessage
/** Sends a command when the current transaction commits. */
export type Send = <N extends CommandName>(name: N, data: CommandData<N>, about?: About) => Message

/** The exchange that a message is published to. The outbox stores it in the column `road`. */
export type Exchange = 'events' | 'commands'

export interface StoredMessage {
  exchange: Exchange
  message: Message
  trace?: TraceCarrier | undefined
}

/** Collects a transaction's messages in the order in which they are emitted and sent. */
export function collectMessages() {
  const messages: StoredMessage[] = []
  const add = <M extends Message>(exchange: Exchange, message: M, trace?: TraceCarrier) => {
    messages.push({ exchange, message, trace })
    return message
  }
  const emit: Emit = (name, subject, { trace, ...about } = {}) =>
    add('events', eventMessage(name, subject, about), trace)
  const send: Send = (name, data, about) => add('commands', commandMessage(name, data, about))
  return { messages, emit, send }
}

/**
 * Returns an `emit` that stores the active trace with each event: for batches whose items share a
 * transaction but not a trace.
 */
export function emitInCurrentTrace(emit: Emit): Emit {
  return (name, subject, about) => emit(name, subject, { trace: captureTrace(), ...about })
}

/** Creates the message of an event. Encodes its data with the event's schema. */
export function eventMessage<N extends EventName>(name: N, subject: EmittedData<N>, about: About = {}) {
  return envelope(newId('evt'), name, z.encode(events[name].data, subject), subject, about)
}

/** Creates the message of a command. */
export function commandMessage<N extends CommandName>(name: N, data: CommandData<N>, about: About = {}): Message {
  return envelope(newId('cmd'), name, z.encode(commands[name].data, data), data, about)
}

/** Creates the message of a reply to a command that is no event. */
export function replyMessage<N extends ReplyName>(name: N, data: ReplyData<N>, about: About = {}): Message {
  return envelope(newId('evt'), name, z.encode(replies[name].data, data), data, about)
}

function envelope<I extends string>(id: I, name: string, data: Record<string, unknown>, subject: object, given: About) {
  const call = currentCall()
  const { id: target_id, merchant_id, correlation_id } = subject as About & { id?: string }
  const about: About = { target_id, merchant_id, correlation_id, ...given }
  return {
    id,
    name,
    occurred_at: new Date().toISOString(),
    merchant_id: about.merchant_id ?? call.merchant_id,
    target_id: about.target_id ?? null,
    correlation_id: about.correlation_id ?? call.correlation_id,
    request_id: call.request_id,
    actor: call.actor,
    data,
  }
}

/** A row of the outbox as it is published. `body` is published unchanged. */
export interface OutboxRow {
  id: string
  message_id: string
  exchange: Exchange
  name: string
  correlation_id: string | null
  body: Buffer
  trace: TraceCarrier
}

/**
 * Commits a transaction after the writes of `rest`, and stores its messages in the outbox, each with its trace. Returns their
 * rows.
 */
export async function commitWithMessages(
  transaction: OpenTransaction,
  rest: () => Promise<unknown>,
  { schema, messages }: { schema: string; messages: StoredMessage[] },
): Promise<OutboxRow[]> {
  if (messages.length === 0) {
    await transaction.commit(rest)
    return []
  }
  const activeTrace = captureTrace()
  const rows = messages.map(({ exchange, message, trace = activeTrace }) => ({
    message_id: message.id,
    exchange,
    name: message.name,
    correlation_id: message.correlation_id,
    body: Buffer.from(JSON.stringify(message)),
    trace,
  }))
  const given = JSON.stringify(rows.map(row => ({ ...row, body: row.body.toString() })))
  const stored = await transaction.commit(rest, values => insertMessages(schema, `$${values.push(given)}`))
  const byMessage = new Map(rows.map(row => [row.message_id, row]))
  return (stored as { id: string; message_id: string }[]).flatMap(({ id, message_id }) => {
    const row = byMessage.get(message_id)
    return row ? [{ ...row, id }] : []
  })
}

/**
 * Takes all messages as one value, so that the text does not depend on their number. The time is that of the statement, the last
 * before the commit: by the transaction's own time, messages of a long transaction would seem to have waited for the relay.
 */
const insertMessages = (schema: string, place: string) => `
  insert into ${schema}.outbox (message_id, road, name, correlation_id, body, trace, created_at)
  select message_id, exchange, name, correlation_id, convert_to(body, 'UTF8'), trace, clock_timestamp()
  from rows from (
    json_to_recordset(${place}::json) as (
      message_id text, exchange text, name text, correlation_id text, body text, trace jsonb
    )
  ) with ordinality as given (message_id, exchange, name, correlation_id, body, trace, place)
  order by place
  returning id, message_id`

/** SQL of the outbox and inbox, for each service's first migration. The inbox is pruned by age. */
export const messageTables = `
  create table outbox (
    id bigint generated always as identity primary key,
    message_id text not null,
    road text not null check (road in ('events', 'commands')),
    name text not null,
    correlation_id text,
    body bytea not null,
    trace jsonb not null,
    created_at timestamptz not null default now()
  );
  create table inbox (
    message_id text primary key,
    received_at timestamptz not null default now()
  );
  create index inbox_received_at on inbox (received_at);
`
