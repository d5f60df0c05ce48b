import { defaultStatusesOf } from '@cobro/testing/default-statuses'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** A received answer with its parsed body. */
export interface SeenAnswer {
  method: string
  path: string
  status: number
  headers: Headers
  /** Undefined if it is not JSON. */
  body: unknown
}

type OpenApi = Parameters<typeof defaultStatusesOf>[0] & Record<string, any>

interface Described {
  path: string
  method: string
  pattern: RegExp
  answers: Map<string, ValidateFunction>
  /** The statuses that `default` stands for. */
  defaultStatuses: ReadonlySet<number>
}

/** The statuses of paths that the description does not contain, except pages. */
const undescribed = new Set([400, 404, 405, 429])

const checks = new Map<string, Promise<(answer: SeenAnswer) => void>>()

/** Validates an answer against the description that the gateway serves. Throws if they disagree. */
export async function checkContract(baseUrl: string, answer: SeenAnswer): Promise<void> {
  const check = checks.get(baseUrl) ?? contractOf(baseUrl)
  checks.set(baseUrl, check)
  check.catch(() => checks.delete(baseUrl))
  ;(await check)(answer)
}

async function contractOf(baseUrl: string) {
  const response = await fetch(`${baseUrl}/openapi.json`)
  const description = (await response.json()) as OpenApi
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { cidrv4: true, cidrv6: true } })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'cobro:api', ...description })
  const operations = describedOperations(description, ajv)
  return (answer: SeenAnswer) => {
    const { method, path, status, headers, body } = answer
    const plainPath = path.split('?', 1)[0] ?? ''
    const fault = (what: string) =>
      new Error(`${method} ${path} answered ${status}: ${what}\n${JSON.stringify(body).slice(0, 1_000)}`)
    if (!/^req_[0-9a-z]{26}$/.test(headers.get('x-request-id') ?? '')) throw fault('no request id')
    if (body === undefined || plainPath === '/openapi.json') return
    if (headers.get('content-type') !== 'application/json; charset=utf-8') throw fault('not said to be JSON')
    const found = operations.find(one => one.pattern.test(plainPath))
    const operation = operations.find(one => one.path === found?.path && one.method === method)
    if (!operation) {
      if (undescribed.has(status)) return
      throw fault('no such operation is described')
    }
    const validate =
      operation.answers.get(String(status)) ??
      (operation.defaultStatuses.has(status) ? operation.answers.get('default') : undefined)
    if (!validate) throw fault('the status is not described')
    if (!validate(body)) throw fault(ajv.errorsText(validate.errors))
  }
}

function describedOperations(description: OpenApi, ajv: Ajv2020): Described[] {
  const pointer = (...steps: string[]) =>
    `cobro:api#/${steps.map(step => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
  const compiled = (ref: string) => ajv.compile({ $ref: ref })
  // Fixed segments before parameters, and a path hides those after it, as in the gateway's router.
  const paths = Object.keys(description.paths).toSorted((a, b) =>
    a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1,
  )
  const defaultStatuses = defaultStatusesOf(description)
  return paths.flatMap(path =>
    Object.entries<any>(operationsOf(description.paths[path])).map(([method, { responses, ...operation }]) => ({
      path,
      method: method.toUpperCase(),
      defaultStatuses: defaultStatuses(operation),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      answers: new Map(
        Object.entries<any>(responses)
          // A stream is not JSON; only its errors have a schema.
          .filter(([, { $ref, content }]) => $ref || 'application/json' in content)
          .map(([status, { $ref }]) => [
            status,
            $ref
              ? compiled(`cobro:api${$ref}/content/application~1json/schema`)
              : compiled(pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema')),
          ]),
      ),
    })),
  )
}

/** The operations of a path, without the parameters that they share. */
function operationsOf({ parameters: _, ...operations }: Record<string, any>): Record<string, any> {
  return operations
}
