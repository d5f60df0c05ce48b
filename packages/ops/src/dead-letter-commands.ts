import { browseDeadLetters, type DeadLetter, type QueueName, queues } from '@cobro/messaging'
import { localStack } from './local-stack.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'
import { UsageError } from './usage-error.ts'

const queueNames = Object.keys(queues) as QueueName[]

/** `dead-letters list [queue]`: prints the dead letters and leaves them in their queues. */
export function listDeadLetters(args: string[]) {
  const [queue] = readArguments(args, {}, 1).positionals
  const names = queue === undefined ? queueNames : [queueNamed(queue)]
  return () => printDeadLetters(names)
}

async function printDeadLetters(names: QueueName[]): Promise<number> {
  const bus = await findBus()
  const found: DeadLetter[] = []
  for (const name of names)
    await browseDeadLetters(bus, name, message => {
      found.push(message)
      return false
    })
  const rows = found.map(({ queue, id, name, occurred_at, correlation_id, attempts, reason }) => [
    ...[queue, id, name ?? '(unreadable)', occurred_at ?? ''],
    ...[correlation_id ?? '', String(attempts), reason],
  ])
  process.stdout.write(
    rows.length === 0
      ? 'There are no dead letters.\n'
      : table(['queue', 'message', 'name', 'occurred', 'correlation_id', 'tries', 'reason'], rows),
  )
  return 0
}

/** `dead-letters requeue <queue> <id>… | --all`: sends dead letters back to their consumer. Exits with 1 if an id is not found. */
export function requeueDeadLetters(args: string[]) {
  const { positionals, values } = readArguments(args, { all: { type: 'boolean' } }, Number.POSITIVE_INFINITY)
  const [name, ...ids] = positionals
  const queue = queueNamed(name ?? '')
  const all = values.all === true
  if (all === ids.length > 0) throw new UsageError('Name the messages, or use --all.')
  return () => requeue(queue, all ? 'all' : new Set(ids))
}

async function requeue(queue: QueueName, which: Set<string> | 'all'): Promise<number> {
  const requeued = await browseDeadLetters(await findBus(), queue, ({ id }) => which === 'all' || which.delete(id))
  process.stdout.write(`${requeued} sent back to ${queue}.\n`)
  if (which === 'all') return 0
  for (const id of which) process.stderr.write(`${id} is not a dead letter of ${queue}.\n`)
  return which.size === 0 ? 0 : 1
}

function queueNamed(name: string): QueueName {
  const queue = queueNames.find(known => known === name)
  if (!queue) throw new UsageError(`Unknown queue ${name}: expected one of ${queueNames.join(', ')}.`)
  return queue
}

async function findBus() {
  const { AMQP_URL: url, AMQP_NAMESPACE: namespace = 'cobro' } = process.env
  return { url: url || (await localStack()).amqp_url, namespace }
}
