import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { addEventHandler, getState } from 'jest-circus'
import { defaultStatusesOf } from './src/default-statuses.ts'

/** The header of answers that a test makes up, such as those of a stub behind the gateway. */
const madeUp = 'x-made-up-by-test'

const description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const operations = describedOperations()
/** RabbitMQ's management API has paths like ours. */
const rabbitmqApi = URL.parse(process.env.TEST_RABBITMQ_API_URL ?? '')?.origin
let undescribed = []

/** Fixed segments come before parameters, and a path hides those after it, as in the gateway's router. */
function describedOperations() {
  const sorted = Object.entries(description.paths).toSorted(([a], [b]) =>
    a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1,
  )
  const defaultStatuses = defaultStatusesOf(description)
  return sorted.flatMap(([path, { parameters: _, ...operations }]) =>
    Object.entries(operations).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      statuses: new Set([...Object.keys(operation.responses).map(Number), ...defaultStatuses(operation)]),
    })),
  )
}

subscribe('undici:request:headers', ({ request: { origin, method, path }, response: { statusCode, headers } }) => {
  if (String(origin) === rabbitmqApi || headers.some(header => String(header).toLowerCase() === madeUp)) return
  const [plainPath] = path.split('?', 1)
  const found = operations.find(one => one.pattern.test(plainPath))
  const operation = operations.find(one => one.path === found?.path && one.method === method)
  if (operation && !operation.statuses.has(statusCode))
    undescribed.push(`${method} ${plainPath} answered ${statusCode}`)
})

/**
 * Fails each test in which an operation of the API answered a status that `openapi.json` does not
 * describe, whether the call went through the gateway or to a service.
 */
addEventHandler(event => {
  if (event.name !== 'add_test') return
  const added = getState().currentDescribeBlock.children.at(-1)
  if (added?.fn) added.fn = describedOnly(added.fn)
})

function describedOnly(run) {
  return async () => {
    undescribed = []
    await run()
    if (undescribed.length > 0)
      throw new Error(`openapi.json does not describe: ${[...new Set(undescribed)].join(', ')}`)
  }
}
