import { randomBytes } from 'node:crypto'
import { exampleEvent } from '@cobro/sdk/testing'
import type { WebhookEvent } from '@cobro/sdk/webhooks'
import { eventObjects, eventSchemas } from '../generated/event-schemas.ts'
import { setAt, valueOfText } from '../methods/field-values.ts'
import { unknownName } from '../methods/similar-names.ts'
import { CommandError } from '../output/failures.ts'
import { type EventSchema, pathsOf, problemOf, schemaAt } from '../schemas/event-schema.ts'

/** The names of the events that can be composed. */
export const composableEvents: readonly string[] = Object.keys(eventSchemas)

/**
 * Returns an example of an event with an id and a time of its own, and with fields set from `path=value`. The result is valid by
 * the event's schema: a path that it does not have is an error, and so is a value of another type.
 */
export function composeEvent(name: string, sets: readonly string[], now = new Date()): WebhookEvent {
  const schema = schemaOf(name)
  const example: WebhookEvent = exampleEvent(name as WebhookEvent['event'])
  const event = { ...structuredClone(example), id: newEventId(), created_at: now.toISOString() }
  for (const set of sets) {
    const [, path = '', value] = /^([\w.-]+)=(.*)$/s.exec(set) ?? []
    if (value === undefined) throw new CommandError(`Expected --set path=value, got ${set}.`)
    const names = path.split('.')
    const field = schemaAt(schema, names)
    if (!field) throw unknownName('field', path, pathsOf(schema))
    setAt(event, names, readValue(value, field))
  }
  const problem = problemOf(event, schema, '')
  if (problem !== undefined) throw new CommandError(problem)
  return event
}

/** Returns the schema of an event. */
export function schemaOf(name: string): EventSchema {
  const found = Object.hasOwn(eventSchemas, name) ? eventSchemas[name] : undefined
  const data = eventObjects[found?.object ?? '']
  if (!found || !data) throw unknownName('event', name, composableEvents)
  return { ...found.envelope, properties: { ...found.envelope.properties, data } }
}

function readValue(value: string, { types }: EventSchema): unknown {
  const isText = types.includes('string') && !types.some(type => type === 'object' || type === 'array')
  return valueOfText(value, { isText, isNullable: types.includes('null') })
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A receiver that has seen the id of an event ignores its repetition, so each has an id of its own. */
function newEventId(): string {
  const letters = Array.from(randomBytes(25), byte => alphabet[byte % alphabet.length])
  return `evt_0${letters.join('')}`
}
