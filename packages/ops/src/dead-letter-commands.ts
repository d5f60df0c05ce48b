import { type QueueName, queueNames } from '@cobro/contracts/broker'
import { browseDeadLetters, type DeadLetter } from '@cobro/messaging'
import { localStack } from './launcher.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'
import { UsageError } from './usage-error.ts'

/** `dead-letters list [queue]`: prints the dead letters and leaves them in their queues. */
export function listDeadLetters(args: string[]) {
  const [queue] = readArguments(args, {}, 1).positionals
  const names = queue === undefined ? queueNames : [queueNamed(queue)]
  return () => printDeadLetters(names)
}

async function printDeadLetters(names: QueueName[]): Promise<number> {
  const bus = await findBus()
  const found: DeadLetter[] = []
  const keep = (message: DeadLetter) => {
    found.push(message)
    return 'keep' as const
  }
  // A service that was never migrated has no dead-letter queue. If there is none at all, the namespace is wrong.
  const missing: Error[] = []
  for (const name of names)
    await browseDeadLetters(bus, name, keep).catch(error => {
      if (error.code !== 404) throw error
      missing.push(error)
    })
  if (missing.length === names.length) throw missing[0]
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

/** `dead-letters requeue <queue> <id>… | --all`: sends them back. Exits with 1 for a missing id. */
export function requeueDeadLetters(args: string[]) {
  const { positionals, values } = readArguments(args, { all: { type: 'boolean' } }, Number.POSITIVE_INFINITY)
  const [name, ...ids] = positionals
  const queue = queueNamed(name ?? '')
  const all = values.all === true
  if (all === ids.length > 0) throw new UsageError('Name the messages, or use --all.')
  return async () => {
    const missing = new Set(ids)
    let rejected = 0
    const choose = ({ id, reason, suspicious }: DeadLetter) => {
      if (!all && !missing.delete(id)) return 'keep'
      if (suspicious) {
        rejected++
        process.stderr.write(`${id} is not sent back, since it may be forged: ${reason}.\n`)
      }
      return 'requeue'
    }
    const requeued = await browseDeadLetters(await findBus(), queue, choose)
    process.stdout.write(`${requeued} sent back to ${queue}.\n`)
    return Math.max(exitCodeOf(queue, missing), rejected > 0 ? 1 : 0)
  }
}

/**
 * `dead-letters discard <queue> <id>…`: prints each message in full as a JSON line, and deletes it.
 * `body_base64` has its exact bytes. Exits with 1 if an id is not found.
 */
export function discardDeadLetters(args: string[]) {
  const [name, ...ids] = readArguments(args, {}, Number.POSITIVE_INFINITY).positionals
  const queue = queueNamed(name ?? '')
  if (ids.length === 0) throw new UsageError('Name the messages to discard.')
  return async () => {
    const missing = new Set(ids)
    await browseDeadLetters(await findBus(), queue, async (message, content) => {
      if (!missing.delete(message.id)) return 'keep'
      await printDeadLetter(message, content)
      return 'discard'
    })
    return exitCodeOf(queue, missing)
  }
}

/** Rejects if the line cannot be written, so that the message is not deleted. */
function printDeadLetter(message: DeadLetter, content: Buffer): Promise<void> {
  const line = JSON.stringify({ ...message, body: content.toString(), body_base64: content.toString('base64') })
  return new Promise((resolve, reject) =>
    process.stdout.write(`${line}\n`, error => (error ? reject(error) : resolve())),
  )
}

function exitCodeOf(queue: QueueName, missing: ReadonlySet<string>): number {
  for (const id of missing) process.stderr.write(`${id} is not a dead letter of ${queue}.\n`)
  return missing.size === 0 ? 0 : 1
}

function queueNamed(name: string): QueueName {
  const queue = queueNames.find(known => known === name)
  if (!queue) throw new UsageError(`Unknown queue ${name}: expected one of ${queueNames.join(', ')}.`)
  return queue
}

async function findBus() {
  const { AMQP_URL: url, AMQP_NAMESPACE: namespace = 'cobro' } = process.env
  return { url: url || (await localStack()).ops_amqp_url, namespace }
}
