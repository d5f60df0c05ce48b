import type { Operation } from '@cobro/contracts'
import { pathOf } from './generated-calls.ts'
import type { MatrixCall } from './matrix-calls.ts'
import { textsOf } from './schema-fields.ts'

/** A valid call of an operation with an attack in the place of one text. */
export interface Injection {
  operation: Operation
  place: string
  attack: unknown
  /** Returns the path and the body's JSON. */
  apply: (call: MatrixCall) => { path: string; body: string | undefined }
}

/** Texts that another program would run, expand, resolve or show as a page. None names an address. */
const attacks: readonly unknown[] = [
  ...["' or '1'='1", "x' union select * from gateway.users --", "'; drop table transactions.transactions; --"],
  ...["' || (select version()) || '", "%' or merchant_id is not null --", '1) or (1=1', "\\'; select 1 --"],
  ...['{"$ne":null}', '{"$where":"1==1"}', { $ne: null }, { $gt: '' }, { $regex: '.*' }],
  ...['{{1337*1331}}', `$\{1337*1331}`, '#{1337*1331}', '<%= 1337*1331 %>', `$\{{1337*1331}}`],
  ...['a\r\nX-Injected: 1', 'a%0d%0aX-Injected: 1', 'a\r\nSet-Cookie: injected=1', '\n\n<html>'],
  ...['../../../../../../etc/passwd', '..%2f..%2f..%2f..%2fetc%2fpasswd', '....//....//etc/passwd', '/etc/passwd%00'],
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg/onload=alert(1)>', 'javascript:alert(1)'],
  ...['$(id)', '`id`', ';id', '| id', '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'],
  ...['__proto__', 'constructor.prototype', JSON.parse('{"__proto__":{"role":"operator"}}')],
  { constructor: { prototype: { role: 'operator' } } },
]

/** What an answer contains only if an attack was run, expanded or resolved. */
export const effects = /1779547|root:[x*]:0:|\buid=\d|PostgreSQL \d/

/** Returns every attack in every text of the path, query and body of an operation. */
export function injectionsOf(operation: Operation): Injection[] {
  const injection = (place: string, attack: unknown, apply: Injection['apply']) => ({ operation, place, attack, apply })
  const asText = (attack: unknown) => (typeof attack === 'string' ? attack : JSON.stringify(attack))
  const bodyOf = ({ body }: MatrixCall) => body && JSON.stringify(body)
  const params = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const query = textsOf(operation.query).filter(place => place.length === 1)
  return attacks.flatMap(attack => [
    ...params.map(name =>
      injection(`:${name}`, attack, call => ({
        path: pathOf(operation, { ...call.params, [name]: asText(attack) }),
        body: bodyOf(call),
      })),
    ),
    ...query.map(([name]) =>
      injection(`?${name}`, attack, call => ({
        path: `${pathOf(operation, call.params)}?${name}=${encodeURIComponent(asText(attack))}`,
        body: bodyOf(call),
      })),
    ),
    ...textsOf(operation.body).map(place =>
      injection(place.join('.'), attack, call => ({
        path: pathOf(operation, call.params),
        body: JSON.stringify(withAttack(call.body ?? {}, place, attack)),
      })),
    ),
  ])
}

/** Copies an object with the attack at a place. `0` is the first element of a list. */
function withAttack(value: unknown, [key, ...rest]: string[], attack: unknown): unknown {
  if (key === undefined) return attack
  if (key === '0') return [withAttack(undefined, rest, attack)]
  const object = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
  return { ...object, [key]: withAttack((object as Record<string, unknown>)[key], rest, attack) }
}
