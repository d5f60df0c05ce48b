import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { addEventHandler, getState } from 'jest-circus'

/** The header of answers that a test makes up, such as those of a stub behind the gateway. */
const madeUp = 'x-made-up-by-test'

const { paths, components } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const operations = describedOperations()
/** RabbitMQ's management API has paths like ours. */
const rabbitmqApi = URL.parse(process.env.TEST_RABBITMQ_API_URL ?? '')?.origin
let undescribed = []

/** Fixed segments come before parameters, as in the gateway's router. */
function describedOperations() {
  const sorted = Object.entries(paths).toSorted(([a], [b]) =>
    a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1,
  )
  return sorted.flatMap(([path, { parameters: _, ...operations }]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      statuses: Object.keys(responses),
    })),
  )
}

subscribe('undici:request:headers', ({ request: { origin, method, path }, response: { statusCode, headers } }) => {
  if (String(origin) === rabbitmqApi || headers.some(header => String(header).toLowerCase() === madeUp)) return
  const [plainPath] = path.split('?', 1)
  const operation = operations.find(one => one.method === method && one.pattern.test(plainPath))
  // `default` describes the errors that operations share; an error with a component of its own is described where it may occur.
  const isShared = statusCode >= 400 && !(statusCode in components.responses)
  if (operation && !isShared && !operation.statuses.includes(String(statusCode)))
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
    if (undescribed.length > 0) throw new Error(`openapi.json does not describe: ${undescribed.join(', ')}`)
  }
}
