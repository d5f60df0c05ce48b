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
  /** The effect of the statement that the message is stored with. */
  effect?: string
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

/** Returns an `emit` whose events are stored if the statement has this effect. */
export type EmitFor = (effect: string) => Emit

/** Collects events for the possible effects of a statement, in the order in which they are emitted. */
export function collectEffectEvents() {
  const messages: StoredMessage[] = []
  const emitFor: EmitFor =
    effect =>
    (name, subject, { trace, ...about } = {}) => {
      const message = eventMessage(name, subject, about)
      messages.push({ exchange: 'events', message, trace, effect })
      return message
    }
  return { messages, emitFor }
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

type Ending = Parameters<OpenTransaction['commit']>[0]

/** Commits a transaction, and stores its messages in the outbox, each with its trace. Returns their rows. */
export async function commitWithMessages(
  transaction: OpenTransaction,
  ending: Omit<Ending, 'last'>,
  { schema, messages }: { schema: string; messages: StoredMessage[] },
) {
  let rows: ReturnType<typeof outboxRows> | undefined
  // After `rest`, for which writes may still have to wait that emit something.
  const last: Ending['last'] = values => {
    if (messages.length === 0) return undefined
    rows = outboxRows(messages)
    return insertMessages(schema, { place: `$${values.push(rows.given)}` })
  }
  const { rows: stored, next } = await transaction.commit({ ...ending, last })
  return { messages: rows ? rows.withIds(stored as StoredId[]) : [], next }
}

/** A statement, and the events of the effects that it may have. */
interface StatementWithEvents {
  /** SQL table expressions, among them `effect (name)`. */
  expressions: string
  params: readonly unknown[]
  messages: StoredMessage[]
}

/** Executes a statement that also stores the events of its effects. Returns the names of the effects, and the events' rows. */
export async function executeWithEvents(
  execute: (sql: string, params: unknown[]) => Promise<StoredRow[]>,
  schema: string,
  { expressions, params, messages }: StatementWithEvents,
): Promise<{ result: string[]; messages: OutboxRow[] }> {
  const { given, withIds } = outboxRows(messages)
  const statement = `with ${expressions},
    stored as (${insertMessages(schema, { place: '?', condition: 'where effect in (select name from effect)' })})
    select array(select name from effect) as effects, coalesce(
      (select json_agg(json_build_object('id', id::text, 'message_id', message_id) order by id) from stored), '[]'
    ) as stored`
  const [row] = await execute(statement, [...params, given])
  if (!row) throw new Error('The statement with events returned no row.')
  return { result: row.effects, messages: withIds(row.stored) }
}

/** What the statement did: the names of its effects, and the events that were stored. */
interface StoredRow {
  effects: string[]
  stored: StoredId[]
}

type StoredId = Pick<OutboxRow, 'id' | 'message_id'>

/** Returns messages as the value that is inserted, and a function that returns the rows of those that were stored. */
function outboxRows(messages: StoredMessage[]) {
  const activeTrace = captureTrace()
  const rows = messages.map(({ exchange, message, trace = activeTrace }) => ({
    message_id: message.id,
    exchange,
    name: message.name,
    correlation_id: message.correlation_id,
    body: Buffer.from(JSON.stringify(message)),
    trace,
  }))
  const given = rows.map((row, index) => ({ ...row, body: row.body.toString(), effect: messages[index]?.effect }))
  const byMessage = new Map(rows.map(row => [row.message_id, row]))
  return {
    given: JSON.stringify(given),
    withIds: (stored: StoredId[]): OutboxRow[] =>
      stored.flatMap(({ id, message_id }) => {
        const row = byMessage.get(message_id)
        return row ? [{ ...row, id }] : []
      }),
  }
}

/**
 * Takes all messages as one value, so that the text does not depend on their number. The time is that of the statement, the last
 * before the commit: by the transaction's own time, messages of a long transaction would seem to have waited for the relay.
 */
const insertMessages = (schema: string, { place, condition = '' }: { place: string; condition?: string }) => `
  insert into ${schema}.outbox (message_id, road, name, correlation_id, body, trace, created_at)
  select message_id, exchange, name, correlation_id, convert_to(body, 'UTF8'), trace, clock_timestamp()
  from rows from (
    json_to_recordset(${place}::json) as (
      message_id text, exchange text, name text, correlation_id text, body text, trace jsonb, effect text
    )
  ) with ordinality as given (message_id, exchange, name, correlation_id, body, trace, effect, place)
  ${condition}
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
