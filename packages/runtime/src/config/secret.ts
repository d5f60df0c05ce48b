import { inspect } from 'node:util'

declare const held: unique symbol

/** A secret value. Printing, logging or serializing it, even inside another, shows `[secret]`. */
export interface Secret<T = string> {
  readonly [held]: T
}

const values = new WeakMap<Secret<unknown>, unknown>()
const show = () => '[secret]'
const cover = Object.freeze({ toString: show, toJSON: show, [inspect.custom]: show })

/** Wraps a value in a `Secret`. Only `reveal` returns it. */
export function secret<T>(value: T): Secret<T> {
  const hidden = Object.freeze(Object.create(cover)) as Secret<T>
  values.set(hidden, value)
  return hidden
}

/** Returns the value of a secret. Call it where the value is used, and do not store the result. */
export function reveal<T>(hidden: Secret<T>): T {
  if (!values.has(hidden)) throw new Error('The value is not a secret created by secret().')
  return values.get(hidden) as T
}
