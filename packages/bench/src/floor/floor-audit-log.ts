import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { insertAll, runStatement } from './floor-statements.ts'
import { connect, type FloorMessage, inBatches, openBroker, runFloorProcess } from './floor-wiring.ts'

/** As long as Cobro's audit log. A shorter time makes smaller batches, the more so on a slow machine. */
const gatherMs = 100
const { privateKey } = generateKeyPairSync('ed25519')

/** Stores every message with its place in the log, and a signed checkpoint of each batch. */
runFloorProcess(async ({ postgresUrl, amqpUrl, rows }) => {
  const pool = connect(postgresUrl, 'audit')
  const { consume } = await openBroker(amqpUrl)
  let size = 1_000_000
  let previous = Buffer.alloc(32)

  const store = inBatches<{ message: FloorMessage; done: () => void }>(gatherMs, async batch => {
    const contents = batch.map(({ message }) => Buffer.from(JSON.stringify(message)))
    const leaves = contents.map(content => createHash('sha256').update(content).digest())
    const events = batch.map(({ message }, place) => ({
      ...rows.auditEvent,
      id: message.id,
      action: message.name,
      correlation_id: message.data.correlation_id ?? null,
      occurred_at: new Date(),
      seq: size + place,
      content: `\\x${contents[place]?.toString('hex')}`,
    }))
    size += batch.length
    previous = createHash('sha256')
      .update(Buffer.concat([previous, ...leaves]))
      .digest()
    const note = `${size}\n${sign(null, previous, privateKey).toString('base64')}`
    await runStatement(pool, 'append', [
      insertAll('audit_events', events),
      {
        into: 'checkpoints',
        rows: [{ size, leaves: Buffer.concat(leaves), frontier: previous, note, created_at: new Date() }],
      },
      { sql: 'update floor.tree_head set size = $1, frontier = $2, previous = $2', values: [size, previous] },
    ])
    for (const { done } of batch) done()
  })
  // Commands and replies are no events.
  const names = ['http.request', 'checkout_session.*', 'payment.*', 'webhook.*']
  await consume('audit', names, (message, done) => store({ message, done }))
  return undefined
})
