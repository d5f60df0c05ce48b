import { parseArgs } from 'node:util'
import { type ParkedMessage, type QueueName, queues, throughParked } from '@cobro/messaging'
import { localStack } from './local-stack.ts'
import { table } from './table.ts'
import { UsageFault } from './usage-fault.ts'

const queueNames = Object.keys(queues) as QueueName[]

/** `parked list [queue]`: shows what is parked, and leaves it parked. */
export async function listParked(args: string[]): Promise<number> {
  const { positionals } = understood(() => parseArgs({ args, allowPositionals: true }))
  const [queue, ...more] = positionals
  if (more.length > 0) throw new UsageFault('Only one queue can be named.')
  const names = queue === undefined ? queueNames : [queueNamed(queue)]
  const bus = await findBus()
  const found: ParkedMessage[] = []
  for (const name of names)
    await throughParked(bus, name, message => {
      found.push(message)
      return false
    })
  const rows = found.map(({ queue, id, name, occurred_at, attempts, reason }) => [
    ...[queue, id, name ?? '(unreadable)', occurred_at ?? ''],
    ...[String(attempts), reason],
  ])
  process.stdout.write(
    rows.length === 0
      ? 'Nothing is parked.\n'
      : table(['queue', 'message', 'name', 'occurred', 'tries', 'reason'], rows),
  )
  return 0
}

/** `parked requeue <queue> <id>… | --all`: sends parked messages back to their consumer. Fails where one of the ids is not there. */
export async function requeueParked(args: string[]): Promise<number> {
  const options = { all: { type: 'boolean', default: false } } as const
  const { positionals, values } = understood(() => parseArgs({ args, options, allowPositionals: true }))
  const [name, ...ids] = positionals
  const queue = queueNamed(name ?? '')
  if (values.all === ids.length > 0) throw new UsageFault('Name the messages, or say --all.')
  const sought = new Set(ids)
  const requeued = await throughParked(await findBus(), queue, ({ id }) => values.all || sought.delete(id))
  process.stdout.write(`${requeued} sent back to ${queue}.\n`)
  for (const id of sought) process.stderr.write(`${id} is not parked there.\n`)
  return sought.size === 0 ? 0 : 1
}

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageFault((error as Error).message)
  }
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
