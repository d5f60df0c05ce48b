import { inspect } from 'node:util'

declare const held: unique symbol

/** A value that is used and never shown: whoever prints, logs or serialises it, alone or among others, gets `[secret]`. */
export interface Secret<T = string> {
  readonly [held]: T
}

const values = new WeakMap<Secret<unknown>, unknown>()
const show = () => '[secret]'
const cover = Object.freeze({ toString: show, toJSON: show, [inspect.custom]: show })

/** Hides a value, so that from here on it is had by `reveal` alone. */
export function secret<T>(value: T): Secret<T> {
  const hidden = Object.freeze(Object.create(cover)) as Secret<T>
  values.set(hidden, value)
  return hidden
}

/** Gives the value of a secret, for where it is used. What this gives is kept no longer than the use takes. */
export function reveal<T>(hidden: Secret<T>): T {
  if (!values.has(hidden)) throw new Error('Only what was hidden can be revealed.')
  return values.get(hidden) as T
}
