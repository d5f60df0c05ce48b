import { CommandError } from '../output/failures.ts'

type Method = (...given: unknown[]) => PromiseLike<unknown>

/** Returns the method of a client at a path such as `checkout.sessions.create`. */
export function methodAt(client: object, path: string): Method {
  const found = path.split('.').reduce((group: unknown, name) => Reflect.get(Object(group), name), client)
  if (typeof found !== 'function') throw new CommandError(`This credential cannot call ${path}.`)
  return (...given) => found(...given)
}
