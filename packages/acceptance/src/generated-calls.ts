import type { Operation } from '@cobro/contracts'
import { hostileBodies, hostileHeaders, hostileValues } from './hostile-values.ts'
import type { MatrixCall } from './matrix-calls.ts'
import { fieldsOf } from './schema-fields.ts'

/** A call of an operation that differs from a valid one in one place. */
export interface GeneratedCall {
  operation: Operation
  /** What is different, for a failure's message. */
  change: string
  /** Changes a valid call. `path` has its parameters filled in; `body` is JSON text. */
  apply: (call: MatrixCall) => { path: string; body: string | undefined; headers: Record<string, string> }
}

/** Returns every call that differs from a valid one in one parameter, field, header or its whole body. */
export function generateCalls(operation: Operation): GeneratedCall[] {
  const generated = (change: string, apply: (call: MatrixCall) => Partial<ReturnType<GeneratedCall['apply']>>) => ({
    ...{ operation, change },
    apply: (call: MatrixCall) => ({
      path: pathOf(operation, call.params),
      body: call.body && JSON.stringify(call.body),
      headers: {},
      ...apply(call),
    }),
  })
  const params = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return [
    ...params.flatMap(name =>
      texts.map(value =>
        generated(`${name} = ${shown(value)}`, ({ params }) => ({
          path: pathOf(operation, { ...params, [name]: value }),
        })),
      ),
    ),
    ...[...fieldsOf(operation.query), 'unknown', 'merchant_id'].flatMap(name =>
      texts.map(value =>
        generated(`?${name}=${shown(value)}`, ({ params }) => ({
          path: `${pathOf(operation, params)}?${name}=${encoded(value)}`,
        })),
      ),
    ),
    ...fieldsOf(operation.body).flatMap(name =>
      hostileValues.map(value =>
        generated(`${name}: ${shown(value)}`, ({ body }) => ({ body: JSON.stringify({ ...body, [name]: value }) })),
      ),
    ),
    ...(operation.body ? hostileBodies : []).map(body => generated(`the body ${shown(body)}`, () => ({ body }))),
    ...hostileHeaders.map(headers => generated(`the headers ${shown(headers)}`, () => ({ headers }))),
  ]
}

const texts = hostileValues.filter(value => typeof value !== 'object' && value !== '').map(String)
const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 60)
/** Encodes a text for a URL, as bytes if it is no valid Unicode. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

/** Returns the path of a call with its parameters filled in. */
export function pathOf({ path }: Operation, params: Record<string, string> = {}): string {
  // A path that is only dots would be another path.
  return path.replace(/:(\w+)/g, (_all, name) => encoded(params[name] ?? 'none').replace(/^\.+$/, '%2e%2e%2e'))
}
