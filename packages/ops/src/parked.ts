import { type ParkedMessage, type QueueName, queues, throughParked } from '@cobro/messaging'
import { localStack } from './local-stack.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'
import { UsageFault } from './usage-fault.ts'

const queueNames = Object.keys(queues) as QueueName[]

/** `parked list [queue]`: shows what is parked, and leaves it parked. */
export function listParked(args: string[]) {
  const [queue] = readArguments(args, {}, 1).positionals
  const names = queue === undefined ? queueNames : [queueNamed(queue)]
  return () => showParked(names)
}

async function showParked(names: QueueName[]): Promise<number> {
  const bus = await findBus()
  const found: ParkedMessage[] = []
  for (const name of names)
    await throughParked(bus, name, message => {
      found.push(message)
      return false
    })
  const rows = found.map(({ queue, id, name, occurred_at, correlation_id, attempts, reason }) => [
    ...[queue, id, name ?? '(unreadable)', occurred_at ?? ''],
    ...[correlation_id ?? '', String(attempts), reason],
  ])
  process.stdout.write(
    rows.length === 0
      ? 'Nothing is parked.\n'
      : table(['queue', 'message', 'name', 'occurred', 'correlation_id', 'tries', 'reason'], rows),
  )
  return 0
}

/** `parked requeue <queue> <id>… | --all`: sends parked messages back to their consumer. Fails where one of the ids is not there. */
export function requeueParked(args: string[]) {
  const { positionals, values } = readArguments(args, { all: { type: 'boolean' } }, Number.POSITIVE_INFINITY)
  const [name, ...ids] = positionals
  const queue = queueNamed(name ?? '')
  const all = values.all === true
  if (all === ids.length > 0) throw new UsageFault('Name the messages, or say --all.')
  return () => requeue(queue, all ? 'all' : new Set(ids))
}

async function requeue(queue: QueueName, which: Set<string> | 'all'): Promise<number> {
  const requeued = await throughParked(await findBus(), queue, ({ id }) => which === 'all' || which.delete(id))
  process.stdout.write(`${requeued} sent back to ${queue}.\n`)
  if (which === 'all') return 0
  for (const id of which) process.stderr.write(`${id} is not parked there.\n`)
  return which.size === 0 ? 0 : 1
}

function queueNamed(name: string): QueueName {
  const queue = queueNames.find(known => known === name)
  if (!queue) throw new UsageFault(`There is no queue ${name}: expected one of ${queueNames.join(', ')}.`)
  return queue
}

async function findBus() {
  const { AMQP_URL: url, AMQP_NAMESPACE: namespace = 'cobro' } = process.env
  return { url: url || (await localStack()).amqp_url, namespace }
}
