import { type ServiceName, serviceNames } from '../declarations/callers.ts'
import type { EventDeclaration } from '../declarations/event.ts'
import { commands } from '../messages/commands.ts'
import { events } from '../messages/events.ts'
import { busNames } from './bus-names.ts'
import { type ExchangeName, exchangeNames, exchanges, type QueueDeclaration, queueNames, queues } from './queues.ts'

/**
 * The logins of a deployment: one for each service, one for checkout's command client, which alone
 * may create queues, for its replies, one for `migrate`, and one for the commands of operators.
 */
export const loginNames = [...serviceNames, 'checkout-commands', 'migrate', 'ops'] as const
export type LoginName = (typeof loginNames)[number]

/** What a login may do, as regular expressions that RabbitMQ matches. */
interface Rights {
  configure: string
  write: string
  read: string
  /** The routing keys for each topic exchange. RabbitMQ allows all of them where none are named. */
  topics: { exchange: string; write: string; read: string }[]
}

/** Routing keys by exchange. */
type Keys = { [E in ExchangeName]?: string[] }

const nothing = '^$'
const all = '.*'
/** Matches no routing key, which may also be empty. */
const noKey = '(?!)'

/** Returns the rights of each login in a namespace. Follows from events, commands and queues. */
export function loginRights(namespace: string): Record<LoginName, Rights> {
  const topics = topicsIn(namespace)
  const own = `^${literal(namespace)}\\.`
  const names = busNames(namespace)
  const replies = `${literal(names.replyExchange)}\\..+`
  const deadLetters = queueNames.map(names.deadLetter)
  const services = serviceNames.map(service => [service, serviceRights(namespace, service)])
  return {
    ...(Object.fromEntries(services) as Record<ServiceName, Rights>),
    'checkout-commands': {
      configure: `^${replies}$`,
      write: `^(${literal(names.exchange('commands'))}|${replies})$`,
      read: `^${literal(names.replyExchange)}(\\..+)?$`,
      topics: topics({ commands: commandsOf('checkout') }),
    },
    // A retry queue names the default exchange as its dead-letter exchange, and to declare it needs the right to write there.
    migrate: {
      ...{ configure: own, write: `${own}|^amq\\.default$`, read: own },
      topics: topics({}, all),
    },
    ops: {
      ...{ configure: nothing, write: oneOf(queueNames.map(names.failureExchange)), read: oneOf(deadLetters) },
      topics: topics({}),
    },
  }
}

function serviceRights(namespace: string, service: ServiceName): Rights {
  const names = busNames(namespace)
  const published: Keys = { events: eventsOf(service), commands: commandsOf(service) }
  const isPublisher = (name: ExchangeName) => {
    const declared = exchanges[name]
    return declared.type === 'direct' ? declared.publisher === service : (published[name] ?? []).length > 0
  }
  const consumed = queueNames.filter(name => queues[name].service === service)
  const replies = consumed.some(name => (queues[name] as QueueDeclaration).exchange === 'commands')
  const written = [
    ...exchangeNames.filter(isPublisher).map(names.exchange),
    ...consumed.map(names.failureExchange),
    ...(replies ? [names.replyExchange] : []),
  ]
  return {
    configure: nothing,
    write: oneOf(written),
    read: oneOf(consumed.map(names.queue)),
    topics: topicsIn(namespace)(published),
  }
}

/** Returns a function that names the routing keys of every topic exchange, by default none. */
const topicsIn =
  (namespace: string) =>
  (written: Keys, read = noKey): Rights['topics'] => {
    const rightsTo = (name: ExchangeName) => ({
      exchange: busNames(namespace).exchange(name),
      write: oneOf(written[name] ?? [], noKey),
      read,
    })
    return exchangeNames.filter(name => exchanges[name].type === 'topic').map(rightsTo)
  }

const eventsOf = (service: string) =>
  Object.entries(events as Record<string, EventDeclaration>)
    .filter(([, { publishers }]) => (publishers as readonly string[]).includes(service))
    .map(([name]) => name)

const commandsOf = (service: string) =>
  Object.entries(commands as Record<string, { publisher: string }>)
    .filter(([, { publisher }]) => publisher === service)
    .map(([name]) => name)

const literal = (text: string) => text.replaceAll(/[^\w-]/g, String.raw`\$&`)

const oneOf = (texts: string[], none = nothing) => (texts.length === 0 ? none : `^(${texts.map(literal).join('|')})$`)
